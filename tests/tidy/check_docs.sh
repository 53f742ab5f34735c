#!/bin/bash
# SPDX-License-Identifier: MIT
# --help, the man page and the completion are made of the rows that parse options: a row that is changed shows in all of
# them without another edit. The README knows only commands that are there, and the completion completes.
set -u
cd "$(dirname "$0")/../.." || exit 1
program=${WTRACE:-build/wtrace}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
n=0
failed=0

# point NAME EXPECTED ACTUAL: both are words, one per line; their sets must be equal.
point() {
	local difference
	n=$((n + 1))
	difference=$(diff <(sort -u <<<"$2") <(sort -u <<<"$3") | sed -n 's/^< /lacks: /p; s/^> /should not have: /p')
	if [ -z "$difference" ]; then
		echo "ok $n - $1"
	else
		echo "not ok $n - $1"
		sed 's/^/# /' <<<"$difference"
		failed=1
	fi
}

# has NAME TEXT FILE
has() {
	point "$1" "$2" "$(grep -oF -- "$2" "$3" | head -n 1)"
}

# complete_line LINE [TYPE]: what is offered; TYPE 63 is a second Tab.
complete_line() {
	bash --norc -c '. "$2"; COMP_LINE=$1 COMP_POINT=${#1} COMP_TYPE=$3; _wtrace; printf "%s\n" "${COMPREPLY[@]}"' \
		complete "$1" "${completion:-build/docs/wtrace.bash}" "${2:-9}"
}

# Another wtrace and another generator, of which one row has another help and another name.
sed 's/{"strict", 0, NULL, "exit with 3 when data was lost"/{"firm", 0, NULL, "be firm: this text is new"/' \
	tools/cmd_stop.c >"$work/cmd_stop.c"
for main in tools/wtrace docs/generate; do
	cc -std=gnu11 -D_GNU_SOURCE -I. -O0 -o "$work/${main##*/}" "$work/cmd_stop.c" $main.c build/internal.a \
		-lbpf -lzstd -ljson-c -ltraceevent -ldw -lelf -liberty -llzma -lz -lm -pthread || exit 1
done
"$work/wtrace" stop --help >"$work/help"
"$work/generate" docs/wtrace.1.in >"$work/wtrace.1"
"$work/generate" docs/wtrace.bash.in >"$work/wtrace.bash"
WTRACE_RUNTIME=$work/run "$work/wtrace" stop --firm -s nobody 2>"$work/parsed"
has 'a changed row: --help' 'be firm: this text is new' "$work/help"
has 'a changed row: the man page' 'Be firm: this text is new.' "$work/wtrace.1"
point 'a changed row: completion' '--firm  (be firm: this text is new)' \
	"$(completion=$work/wtrace.bash complete_line 'wtrace stop --f' 63 | grep -v -- --force)"
has 'a changed row: parsing' 'no session is running' "$work/parsed"

commands=$("$program" help | awk '/^commands:/ { on = 1; next } /^$/ { on = 0 } on { print $1 }')
[ -n "$commands" ] || { echo "not ok $((n + 1)) - $program help lists commands"; echo "1..$((n + 1))"; exit 1; }
point 'man page: commands' "$commands" "$(awk '/^\.S[HS] / { if ($1 == ".SH") on = $2 == "COMMANDS"; else if (on) print $2 }' docs/wtrace.1.in)"
for command in $(sed -n '/^```/,/^```/p' README.md | grep -oE '^(sudo )?(build/)?wtrace [a-z]+' | awk '{ print $NF }' | sort -u); do
	point "README: wtrace $command" "$command" "$(grep -x "$command" <<<"$commands")"
done
point 'completion: commands' "$commands
help" "$(complete_line 'wtrace ' | grep -v '^--')"
point 'completion: options' '--session
--strict' "$(complete_line 'wtrace stop --s')"
point 'completion: one option stands alone' '--strict' "$(complete_line 'wtrace stop --st' 63)"
point 'completion: list' 'events
metrics
providers
sessions' "$(complete_line 'wtrace list ')"
point 'completion: manifest' 'check
header
diff' "$(complete_line 'wtrace manifest ')"
point 'completion: files behind the first word' 'docs/generate.c' "$(complete_line 'wtrace manifest check docs/gen')"
point 'completion: keys after a comma' 'process,function' "$(complete_line 'wtrace view x --group-by process,func')"
point 'completion: a letter has the values of its name' 'process,function' "$(complete_line 'wtrace view x -g process,func')"
point 'completion: behind an equals sign' 'pmu-profile' "$(complete_line 'wtrace start --stackwalk=pm')"
point 'completion: the words of an option' 'tables' "$(complete_line 'wtrace start --unwind t')"
point 'completion: nothing for a number' '' "$(complete_line 'wtrace start -F ')"
echo "1..$n"
exit $failed
