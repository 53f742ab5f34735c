#!/bin/sh
# SPDX-License-Identifier: MIT
# Logs exported to CTF are, value by value, what the log says: babeltrace2's library reads the one, the decoder written from
# LOGFORMAT.md alone the other (ctf_compare.py).
# Runs beside others.
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/lib.sh"

same() {
	check "$1: exported" wtrace export "$2" -o "$1.ctf" --no-resolve
	check "$1: every event and field is equal" /usr/bin/python3 "$root/tests/integration/ctf_compare.py" "$2" "$1.ctf"
	check_out "$1: and there are some" '^[1-9][0-9]* events are equal$'
}

for file in "$root"/tests/golden/*.wtl; do
	same "$(basename "$file" .wtl)" "$file"
done
same view "$root/tests/cli/view.etl"

# Shells and what they start, every switch between them, stacks, and a program's own events: strings, lists, nested times.
check 'record' wtrace record -p 'pmu-profile,loader,proc_thread,linux:sched:sched_switch' --stackwalk -F 499 -o run.etl -- \
	sh -c 'for i in 1 2 3 4 5; do ls -l /usr/bin >/dev/null; done'
same run run.etl
switches=$(wtrace dump run.etl -e sched_switch 2>/dev/null | wc -l)
check 'babeltrace2 prints it' babeltrace2 run.ctf
is 'and finds every switch' "$(grep -c 'sched_switch:' out)" "$switches"

check_exit 'a directory that is there is left alone' 1 wtrace export run.etl -o run.ctf
check_err 'and named' 'run.ctf exists already'
mkdir full && mount -t tmpfs -o size=64k none full
check_exit 'a full disk' 1 wtrace export run.etl -o full/run.ctf
check_err 'is said' 'No space left on device'
is 'and nothing half-written stays' "$(ls full)" ''
umount full

done_testing
