#!/bin/sh
# SPDX-License-Identifier: MIT
# What functions did, of events that were sampled: their IPC, mix of operations and topdown shares, against what they rang
# (tests/programs/pmu_rings.c).
. /tests/lib.sh
. /tests/whole.sh
parameters=/sys/module/scripted_pmu/parameters
mine="comm == 'pmu_rings'"

ratio() { # NAME FUNCTION COLUMN WANTED: within 5 %
	wtrace view functions.etl --group-by function --where "$mine" --columns "$3" --top 0 >table 2>&1
	got=$(awk -v f="$2:pmu_rings" '$NF == f { print $1 }' table)
	if awk -v a="$got" -v b="$4" 'BEGIN { exit !(a != "" && a >= 0.95 * b && a <= 1.05 * b) }'; then ok "$1"; else
		not_ok "$1" "got '$got', wanted $4 within 5 %: $(cat table)"
	fi
}

echo 0 >$parameters/by_time
check 'see the program once, for its tables' wtrace record --stackwalk -o once.etl -- pmu_rings 10
check 'record, nothing lost' record_whole functions.etl --stackwalk -e cycles:1000 -e instructions:1000 -e r1b:2000 \
	-e r70:1000 -e r71:1000 -e r3e:3000 -- taskset 1 pmu_rings 50
# User mode: its kernel's cycles are rows of the kernel's functions.
ratio 'IPC of ring_hot' ring_hot ipc 2
ratio 'IPC of ring_cold' ring_cold ipc 0.5
ratio 'loads of ring_hot' ring_hot r70/r1b 0.5
ratio 'loads of ring_cold' ring_cold r70/r1b 0.25
ratio 'stores of ring_hot' ring_hot r71/r1b 0.16667
ratio 'stores of ring_cold' ring_cold r71/r1b 0.5
# Topdown: 8 slots a cycle, so that these are 50 % and 75 % frontend bound.
ratio 'slots that the front end lost, of ring_hot' ring_hot r3e/cycles 4
ratio 'slots that the front end lost, of ring_cold' ring_cold r3e/cycles 6

# An estimate from counts of a millisecond cannot tell functions apart that take turns faster; sums are exact all the same.
check 'counts of threads' record_whole counts.etl -p counters:cycles+instructions:verbose -- taskset 1 pmu_rings 50 3
for tid in $(awk '{ print $2 }' out); do
	wtrace view counts.etl -e counters/switch --where "tid == $tid" --group-by tid --columns ipc --top 0 >table 2>&1
	is "IPC of thread $tid" "$(awk -v t="$tid" '$NF == t && $1 ~ "^[0-9.]+$" { print $1 }' table)" 1.300
done
echo 1 >$parameters/by_time
done_testing
