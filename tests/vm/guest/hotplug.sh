#!/bin/sh
# SPDX-License-Identifier: MIT
# A CPU goes and comes back while a session runs: the other goes on, the one that came back is sampled again.
. /tests/lib.sh
cpu1=/sys/devices/system/cpu/cpu1/online
cp /bin/busy before && cp /bin/busy while_off && cp /bin/busy after && cp /bin/busy early

samples() { # PROGRAM CPU
	wtrace view cpus.etl --group-by comm --where "comm == '$1' && cpu == $2" --top 0 |
		awk -v p="$1" '$3 == p { n += $2 } END { print n + 0 }'
}

on_cpu1() { wtrace status | awk '$1 == "pmu-profile" && $3 == 1 { print $4 }'; }
sampled_again() { # work on CPU 1 makes the session's count of its samples grow
	seen=$(on_cpu1)
	taskset 2 busy 0.5
	[ "$(on_cpu1)" -gt "$seen" ]
}

check 'start' wtrace start -p pmu-profile,loader,proc_thread -e cycles:4000000
check 'work on CPU 1' taskset 2 ./before 1
echo 0 >$cpu1
is 'CPU 1 is gone' "$(cat /sys/devices/system/cpu/online)" 0
check 'work on CPU 0' taskset 1 ./while_off 2
check 'status while it is gone' wtrace status
echo 1 >$cpu1
is 'CPU 1 is back' "$(cat /sys/devices/system/cpu/online)" 0-1
background taskset 2 ./early 60
check 'the session notices' wait_until 30 sampled_again
check 'work on CPU 1 again' taskset 2 ./after 4
kill "$bg"
check 'stop' wtrace stop -o cpus.etl
check 'view by cpu' wtrace view cpus.etl --group-by cpu,comm --top 0
at_least 'samples on CPU 1 before' "$(samples before 1)" 150
at_least 'samples on CPU 0 meanwhile' "$(samples while_off 0)" 300
at_least 'samples on CPU 1 afterwards' "$(samples after 1)" 300
at_least 'samples of a program that started before the session noticed' "$(samples early 1)" 150
is 'none on a CPU that was not there' "$(samples while_off 1)" 0

echo 0 >$cpu1
check 'start with CPU 1 gone' wtrace start -p pmu-profile -e cycles:4000000
echo 1 >$cpu1
check 'the session notices' wait_until 30 sampled_again
check 'work on it' taskset 2 ./after 2
check 'stop' wtrace stop -o cpus.etl --force
at_least 'samples on the CPU that came' "$(samples after 1)" 300

# More possible CPUs than there are: programs' rings, on a CPU that was not there when the session began.
ticks() { wtrace dump user.etl -e emit/tick | wc -l; }
ticks_on() { wtrace view user.etl --group-by cpu -e emit/tick --top 0 | awk -v c="$1" '$3 == c { n += $2 } END { print n + 0 }'; }
echo 0 >$cpu1
check 'start with CPU 1 gone' wtrace start -p emit
check 'a program with two threads' user_emit -n 500 -t 2
echo 1 >$cpu1
check 'a program on the CPU that came' taskset 2 user_emit -n 300
echo 0 >$cpu1
check 'one when it is gone again' user_emit -n 200
check 'stop' wtrace stop -o user.etl --force --strict
echo 1 >$cpu1
is 'every event is there' "$(ticks)" 1500
is 'those on CPU 1 too' "$(ticks_on 1)" 300
done_testing
