#!/bin/sh
# SPDX-License-Identifier: MIT
# A CPU goes offline while it is counted: what it counted stays, what follows is no count instead of 0, and it is said.
. /tests/lib.sh
cpu1=/sys/devices/system/cpu/cpu1/online

counts_now() { [ "$(ls -l "/proc/$bg/fd" | grep -c perf_event)" -ge 2 ] && grep -q '^State:.*sleeping' "/proc/$bg/status"; }
rows() { [ "$(grep -c ',cpu-clock,' lines)" -ge "$1" ]; }
ended() { [ ! -e "/proc/$bg/fd/0" ]; }

# A group, which the kernel takes apart when the CPU goes.
rm -f lines
background wtrace stat -I 200 -n 40 -x, -o lines -c 0,1 -e '{cpu-clock,page-faults}'
check 'stat counts' wait_until 60 rows 4
before=$(grep -c ',cpu-clock,' lines)
echo 0 >$cpu1
is 'CPU 1 is gone' "$(cat /sys/devices/system/cpu/online)" 0
more() { rows $((before + 12)); }
check 'stat goes on' wait_until 60 more
echo 1 >$cpu1
check 'stat ends' wait_until 120 ended
check 'it says which CPU went' grep 'warning: CPU 1 went offline' background.out
is 'and says it once' "$(grep -c 'went offline' background.out)" 1
is 'CPU 0 was counted each time' "$(grep -c ',CPU0,[0-9][0-9]*,ns,cpu-clock' lines)" 40
at_least 'CPU 1 was counted before' "$(grep -c ',CPU1,[1-9][0-9]*,ns,cpu-clock' lines)" 1
at_least 'and has no count afterwards' "$(grep -c ',CPU1,<not counted>,ns,cpu-clock' lines)" 5
is 'which is never 0' "$(grep -c ',CPU1,0,ns,cpu-clock' lines)" 0
is 'nor of another member of the group' "$(grep ',CPU1,' lines | grep ,page-faults, | tail -n 1 | cut -d, -f3)" '<not counted>'

# In the interval in which it goes it may have been counted still.
gone=$(grep -c ',CPU1,.*,offline$' lines) none=$(grep -c ',CPU1,<not counted>,ns,cpu-clock' lines)
at_least 'the lines of a CPU that went say so' "$gone" $((2 * none))
at_most 'and no others' "$gone" $((2 * none + 2))

rm -f line.json
background wtrace stat -t -i 0 -n 20 --timeout 0.2 -o line.json --output-csv line.csv -c 0,1 -e cpu-clock
csv_rows() { [ "$(grep -c '^[0-9][0-9]*,' line.csv)" -ge 3 ]; }
check 'a timeline counts' wait_until 60 csv_rows
echo 0 >$cpu1
check 'the timeline ends' wait_until 120 ended
echo 1 >$cpu1
at_least 'its CSV has n/a for the CPU that went' "$(grep -c '^[0-9][0-9]*,n/a,$' line.csv)" 1
at_least 'its JSON marks the CPU' "$(grep -c '"core_number":1,"offline":true' line.json)" 1
is 'and not the other one' "$(grep -c '"core_number":0,"offline"' line.json)" 0

background wtrace stat -c 0,1 -e cpu-clock --timeout 6
check 'a table is counted' wait_until 60 counts_now
echo 0 >$cpu1
check 'it comes to its end' wait_until 120 ended
echo 1 >$cpu1
check 'the table says it' grep '^note: CPU 1 went offline' background.out

# Counts of a log: those of the CPU that went end with what was counted there in all.
check 'counts are recorded' wtrace start -p counters:cpu-clock+page-faults --count-interval 50ms
background taskset 2 busy 60
totals() { wtrace view -s default -e counters/total --where 'cpu == 1' 2>/dev/null | grep -q counters/total; }
intervals() { wtrace view -s default -e counters/interval --where 'cpu == 1' 2>/dev/null | grep -q counters/interval; }
check 'those of CPU 1 come' wait_until 60 intervals
echo 0 >$cpu1
check 'when it goes, its total is written' wait_until 60 totals
echo 1 >$cpu1
kill "$bg"
check 'stop' wtrace stop -o gone.etl
sum() { wtrace view gone.etl -e "counters/$1" --where "$2" --group-by cpu --columns "sum:$3" --csv | tr -d '\r' | awk -F, 'NR > 1 { n += $NF } END { printf "%d\n", n }'; }
is 'its intervals add up to it' "$(sum interval 'cpu == 1' page_faults)" "$(sum total "cpu == 1 && counter == 'page-faults'" value)"
done_testing
