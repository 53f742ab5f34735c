#!/bin/bash
# SPDX-License-Identifier: MIT
# What wtrace shows to those who type the commands of other tools (docs/FIRST-LINES.md) can be typed: each shown line that
# records a command and reads the log is run, with a file, a command and an event in the place of the capital words.
. "$(dirname "$0")/lib.sh"

check 'a log' wtrace record -p proc_thread -o FILE.etl -- true
while IFS= read -r typed; do
	case $typed in *" "*) line="wtrace ${typed#* }" ;; *) line="wtrace $typed" ;; esac
	set -f # what is a pattern to the shell is typed with quotes, or is in no file's name
	eval "$line" </dev/null 2>>messages >/dev/null
	set +f
done < <(sed -n 's/^| `\(.*\)` | shows |.*|$/\1/p' "$WT_ROOT/docs/FIRST-LINES.md")

# Commands are joined by semicolons; words for the reader come behind ", ", ": " or "; ".
python3 - messages >lines <<'END'
import re, sys
words = {"COMMAND": "ls /", "SUBSYSTEM:EVENT": "sched:sched_switch", "EVENT.FIELD": "sched_switch.next_comm", "FILE": "x.etl",
         "DIRECTORY": "trace", "HZ": "99", "LIST": "proc_thread", "SIZE": "1M", "EVENT+EVENT": "task-clock+page-faults"}
lines = set()
for message in open(sys.argv[1], errors="replace"):
    for line in re.findall(r"wtrace record (?!\[)[^;]* -o FILE -- COMMAND(?:; wtrace (?:view|dump|export) FILE[^;]*)*", message):
        line = "; ".join(re.split(r", |: ", part)[0] for part in line.strip().split("; "))
        for word, value in words.items():
            line = line.replace(word, value)
        lines.add(line)
print("\n".join(sorted(lines)))
END
n=0
while IFS= read -r line; do
	n=$((n + 1))
	rm -rf x.etl trace
	eval "${line%%; *}" >out 2>err </dev/null
	code=$?
	# A machine without a PMU cannot record it, and says so; perf is the witness.
	if [ "$code" = 1 ] && grep -q 'no PMU' err; then
		event=$(echo "$line" | sed -n 's/.* -e \([^ ]*\) .*/\1/p')
		perf stat -x, -e "$event" true >witness 2>&1
		is "$line: refused as there is no PMU" "$(grep -c '<not supported>' witness)" 1
		continue
	fi
	is "$line: records" "$code" 0
	[ "${line%%; *}" = "$line" ] || check "$line: reads" sh -e -c "${line#*; }"
done <lines
at_least 'lines that were run' "$n" 20
done_testing
