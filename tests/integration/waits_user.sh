#!/bin/sh
# SPDX-License-Identifier: MIT
# Waits of a user without rights: the kernel's records of own threads. When they run and are ready is compared with the
# kernel's own account; who wakes them is not known, and that is told.
. "$(dirname "$0")/lib.sh"

compare=$WT_ROOT/tests/integration/waits.py
cp "$WT_ROOT/build/tests/programs/waits" bin/

record() {
	for _ in 1 2 3 4 5; do
		as_nobody wtrace record -p cswitch -o "$1.etl" --force -- waits "$1" "$2" >"$1.truth" 2>"$1.err" || return 1
		grep -q 'lost: cswitch' "$1.err" || return 0
	done
	cat "$1.err" >&2
	return 1
}

level=$(cat /proc/sys/kernel/perf_event_paranoid)
if [ "$level" -lt 0 ] || [ "$level" -gt 2 ]; then
	skip 'waits of a user' "kernel.perf_event_paranoid is $level"
	done_testing
fi
for mode in 'sleep 30' 'futex 2000' 'spin 100' 'yield 300'; do
	way=${mode% *}
	check "$way is recorded" record "$way" "${mode#* }"
	check "$way: parts and switches" "$compare" "$way.etl" "$way.truth"
done
check 'the table' wtrace view sleep.etl --waits
check_out 'tells that nobody is named as waker' 'a user without rights sees no wakes'
check 'the waits' wtrace view sleep.etl --waits --where "process == 'waits' && waits" --group-by certainty --csv
is 'none of them is exact' "$(grep -c ',exact,' out)" 0
check 'spinning threads' wtrace view spin.etl --waits --where "process == 'waits'" --group-by ready_by --columns ready,count --csv
check_out 'were preempted' '^,preempted,'
check 'what a thread does, raw' as_nobody wtrace dump sleep.etl -e cswitch/leave
check_out 'it waits' 'cswitch/leave tid=[0-9]+ preempted=false'
# Threads that ran before, and processes that begin.
as_nobody sh -c 'echo $$ >own.pid; exec waits lock 4000 >/dev/null' &
wait_until 20 sh -c '[ -s own.pid ] && [ "$(ls "/proc/$(cat own.pid)/task" | wc -l)" = 5 ]'
locks=$(cat own.pid)
check 'a session of a process' as_nobody wtrace start -p cswitch --pid "$locks" -s own
sleep 0.5
check 'ends' as_nobody wtrace stop -s own -o own.etl
kill "$locks"
check 'its threads' wtrace view own.etl --waits --group-by tid --columns running,waits --csv
tr -d '\r' <out >own.csv
is 'are there' "$(awk -F, 'NR > 1 && $2 && $4 >= 3 { n++ } END { print n + 0 }' own.csv)" 4
check 'children' as_nobody wtrace record -p cswitch -o children.etl -- sh -c 'for i in 1 2 3; do sleep 0.01 & done; wait'
check 'have turns' wtrace view children.etl --waits --where "process == 'sleep'" --group-by process --csv
is 'each of them' "$(grep -c '^,sleep (' out)" 3
check_exit 'wakes are refused' 1 as_nobody wtrace record -p cswitch,dispatcher -o no.etl -- true
check_err 'and what is possible is told' '-p cswitch alone records when your own threads run'
check 'stacks are asked for' as_nobody wtrace record -p cswitch --stackwalk -o stacks.etl -- waits sleep 2
check_err 'there are none' 'without stacks'
check 'doctor' as_nobody wtrace doctor
check_out 'says what is lacking' 'context switches.*of your own processes'
done_testing
