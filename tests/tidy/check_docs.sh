#!/bin/bash
# SPDX-License-Identifier: MIT
# The man page, the completion and the README know exactly the commands and options that --help shows.
# Prints one test point per command and kind of text.
set -u
cd "$(dirname "$0")/../.." || exit 1
program=${WTRACE:-build/wtrace}
common='^--(help|quiet|verbose|version)$'
n=0

commands=$("$program" help | awk '/^commands:/ { on = 1; next } /^$/ { on = 0 } on { print $1 }')
[ -n "$commands" ] || { echo "not ok 1 - $program help lists commands"; echo 1..1; exit 1; }

# point NAME EXPECTED ACTUAL: both are words, one per line; their sets must be equal.
point() {
	local difference
	n=$((n + 1))
	difference=$(diff <(sort -u <<<"$2") <(sort -u <<<"$3") | sed -n 's/^< /lacks: /p; s/^> /has, but --help has not: /p')
	if [ -z "$difference" ]; then
		echo "ok $n - $1"
	else
		echo "not ok $n - $1"
		sed 's/^/# /' <<<"$difference"
		failed=1
	fi
}

words() {
	grep -oE -- '--[a-z][a-z-]*' | grep -vE -- "$common"
}

of_help() {
	"$program" "$1" --help | sed '/^examples:/,$d' | words
	[ "$1" = record ] && of_help start
}

# The man page's source without its escapes, one command's section.
of_man() {
	sed 's/\\-/-/g' docs/wtrace.1 | awk -v name="$1" '/^\.S[SH] / { on = $1 == ".SS" && $2 == name } on' | words
}

complete_line() {
	bash --norc -c '. docs/wtrace.bash; COMP_LINE=$1 COMP_POINT=${#1}; _wtrace; printf "%s\n" "${COMPREPLY[@]}"' \
		complete "$1"
}

failed=0
for command in $commands; do
	options=$(of_help "$command")
	point "man page: options of $command" "$options" "$(of_man "$command")"
	point "completion: options of $command" "$options" "$(complete_line "wtrace $command --" | words)"
done
point 'man page: commands' "$commands" "$(awk '/^\.S[HS] / { if ($1 == ".SH") on = $2 == "COMMANDS"; else if (on) print $2 }' docs/wtrace.1)"
point 'completion: commands' "$commands
help" "$(complete_line 'wtrace ' | grep -v '^--')"
for command in $(sed -n '/^```/,/^```/p' README.md | grep -oE '^(sudo )?(build/)?wtrace [a-z]+' | awk '{ print $NF }' | sort -u); do
	point "README: wtrace $command" "$command" "$(grep -x "$command" <<<"$commands")"
done
point 'completion: list' 'events
providers
sessions' "$(complete_line 'wtrace list ')"
point 'completion: manifest' 'check
header
diff' "$(complete_line 'wtrace manifest ')"
point 'completion: keys after a comma' 'process,function' "$(complete_line 'wtrace view x --group-by process,func')"
point 'completion: behind an equals sign' 'pmu-profile' "$(complete_line 'wtrace start --stackwalk=pm')"
point 'completion: nothing for a number' '' "$(complete_line 'wtrace start -F ')"
echo "1..$n"
exit $failed
