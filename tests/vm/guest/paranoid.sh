#!/bin/sh
# SPDX-License-Identifier: MIT
# A user who is not root on Debian's own kernel, at each level of perf_event_paranoid.
. /tests/lib.sh
level=/proc/sys/kernel/perf_event_paranoid

is 'Debian starts at level 3' "$(cat $level)" 3
check_exit 'level 3: refused' 1 as_nobody wtrace record -o 3.etl -- busy 1
check_err 'level 3: says what to change' 'kernel.perf_event_paranoid'
check 'level 3: leaves no file' test ! -e 3.etl
check_exit 'level 3: doctor says so too' 1 as_nobody wtrace doctor
check_out 'level 3: with the command' 'kernel.perf_event_paranoid='

for n in 2 1 -1; do
	echo $n >$level
	check "level $n: record" as_nobody wtrace record --stackwalk -e cycles:4000000 -o "level$n.etl" -- busy 1
	cp "$TMP/err" said
	check "level $n: view" as_nobody wtrace view "level$n.etl" --group-by function
	check_out "level $n: functions are resolved" 'spin_hot:busy'
	cp said "$TMP/err"
	[ $n != 2 ] || check_err 'level 2: user code only, said so' 'user'
	check "level $n: doctor" as_nobody wtrace doctor
done
check_exit 'another user has no rights on the file' 1 as_nobody sh -c 'wtrace record -o /root.etl -- true'
echo 3 >$level
check 'root does not need a level' wtrace record -o root.etl -- busy 1
done_testing
