#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs each line of docs/FIRST-LINES.md as a user of another tool would type it: each works or shows the line to type.
. "$(dirname "$0")/lib.sh"

check 'a log' wtrace record -p proc_thread -o FILE.etl -- true

# The columns between the bars; a bar within quotes is none of them.
rows=$(sed -n 's/^| `\(.*\)` | \(runs\|shows\) |\(.*\) |$/\1\t\2\t\3/p' "$WT_ROOT/docs/FIRST-LINES.md")
n=0
while IFS=$'\t' read -r typed how answer; do
	n=$((n + 1))
	answer=${answer# } answer=${answer#\`} answer=${answer%\`}
	case $typed in *" "*) line="wtrace ${typed#* }" ;; *) line="wtrace $typed" ;; esac
	set -f # what is a pattern to the shell is typed with quotes, or is in no file's name
	eval "$line" >said.out 2>said.err </dev/null
	code=$?
	set +f
	if [ "$how" = runs ]; then is "$typed: runs" "$code" 0; else check "$typed: refused" test "$code" -ne 0; fi
	[ -z "$answer" ] || check "$typed: answered" grep -qF -- "$answer" said.out said.err
	[ "$how" = runs ] || check "$typed: in one line" test "$(grep -vc ': note: ' said.err)" -eq 1
done <<<"$rows"
at_least 'lines in the table' "$n" 40
is 'all of its lines were run' "$n" "$(grep -c '^| `' "$WT_ROOT/docs/FIRST-LINES.md")"
done_testing
