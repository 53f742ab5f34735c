#!/bin/sh
# SPDX-License-Identifier: MIT
# Limits and rights: open files, locked memory, perf_event_paranoid for a user who is not root.
# Runs alone.
. "$(dirname "$0")/lib.sh"

exec 8</proc/sys/kernel/perf_event_paranoid
flock 8
old=$(cat /proc/sys/kernel/perf_event_paranoid)
restore() { echo "$old" >/proc/sys/kernel/perf_event_paranoid; }
user_record() { as_nobody wtrace record "$@" -- python3 -c 'sum(i*i for i in range(3000000))'; }

check_exit 'too few open files' 1 sh -c 'ulimit -n 16; ulimit -Hn 16; wtrace record -o few.etl -e cpu-clock -e page-faults -e context-switches -e task-clock -e minor-faults -- true'
check_err 'says which limit' 'open files|RLIMIT_NOFILE|ulimit -n'

echo 2 >/proc/sys/kernel/perf_event_paranoid
check 'a user records his own command at level 2' user_record -o two.etl
check_err 'user code only, said so' 'user'
check 'with samples' as_nobody wtrace view two.etl --group-by process
check_out 'of his program' 'python3'
check 'no kernel functions in it' sh -c '! wtrace view two.etl --group-by module | grep -q "\[kernel"'
for level in 1 0 -1; do
	echo "$level" >/proc/sys/kernel/perf_event_paranoid
	check "level $level" user_record -o "level$level.etl"
	check 'with samples' as_nobody wtrace view "level$level.etl" --group-by process
	check_out 'of his program' 'python3'
done
echo 2 >/proc/sys/kernel/perf_event_paranoid
check_exit 'the whole machine is refused' 1 as_nobody wtrace start
check_err 'and says what a user can do' 'wtrace record|--pid'
check_exit 'tracepoints are refused' 1 as_nobody wtrace record -p linux:sched:sched_switch -o x.etl -- true
check_err 'with the reason' 'tracefs|perf_event_paranoid|root'
check_exit 'another user'"'"'s process is refused' 1 as_nobody wtrace record --pid 1 -o x.etl -- true
check_err 'with the reason' 'not permitted.*another user'
check 'little locked memory is enough' as_nobody sh -c 'ulimit -l 64; exec wtrace record -o small.etl -- python3 -c "sum(i*i for i in range(3000000))"'
check 'doctor works for a user' as_nobody sh -c 'wtrace doctor; [ $? -le 1 ]'
restore

# Somebody else was first with the name of the runtime directory.
mkdir -p "$TMP/squat" && chown 1 "$TMP/squat"
check_exit 'a squatted runtime directory is not used' 1 env WTRACE_RUNTIME="$TMP/squat" wtrace start
check_err 'and its owner named' 'belongs to uid 1'
ln -s /tmp "$TMP/link"
check_exit 'nor is a link followed' 1 env WTRACE_RUNTIME="$TMP/link" wtrace start
done_testing
