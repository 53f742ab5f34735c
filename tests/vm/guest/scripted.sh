#!/bin/sh
# SPDX-License-Identifier: MIT
# PMUs whose counts follow a known law (tests/vm/pmu/law.h): first that they do, then what wtrace samples of them.
. /tests/lib.sh
. /tests/whole.sh
core=cpu
[ -e /sys/bus/event_source/devices/cpu ] || core=armv8_scripted

pmu_truth

samples() { # FILE KEYS WHERE: what the table counts in all
	wtrace view "$1" --group-by "$2" --where "$3" --top 0 | awk '/^100.00%/ { print $2; found = 1 } END { if (!found) print 0 }'
}
samples_in() { # FUNCTION FILE WHERE
	wtrace view "$2" --group-by function --where "$3" --top 0 | awk -v f="$1:pmu_rings" '$3 == f { n = $2 } END { print n + 0 }'
}

check 'see the programs once, for their tables' wtrace record --stackwalk -o once.etl -- sh -c 'busy 1; pmu_rings 10'

# 17 * 4 in 100 ns: a period is a millisecond.
for event in cycles r11 $core/cpu_cycles/ $core/event=0x11/; do
	file=$(echo "$event" | tr / _).etl
	check "$event: record, nothing lost" record_whole "$file" -e "$event:680000" -- busy 0.6
	is "$event: nearly a sample each millisecond" "$(samples "$file" function "comm == 'busy'" | awk '{ print int($1 / 600 + 0.5) }')" 1
	wtrace view "$file" --group-by function --where "comm == 'busy'" --top 0 >shares
	at_least "$event: three quarters in spin_hot" "$(awk '$3 == "spin_hot:busy" { print $1 }' shares)" 70
	at_most "$event: three quarters in spin_hot" "$(awk '$3 == "spin_hot:busy" { print $1 }' shares)" 80
done

# What a program rings overflows where it rings, exactly: one round is 3 in ring_hot, 1 in the kernel, 1 in ring_cold.
check 'rings: record, nothing lost' record_whole rung.etl --stackwalk -e r200:1000 -- taskset 1 pmu_rings 60
mine="comm == 'pmu_rings'"
is 'rings: every period is there' "$(samples rung.etl function "$mine")" 300
is 'rings: those of ring_hot' "$(samples_in ring_hot rung.etl "$mine")" 180
is 'rings: those of ring_cold' "$(samples_in ring_cold rung.etl "$mine")" 60
check 'rings: callers' wtrace view rung.etl --group-by function --inclusive --where "$mine" --top 0
is 'rings: the kernel was called by ring_hot' "$(awk '$5 == "ring_hot:pmu_rings" { print $2 }' out)" 240
check 'threads: record, nothing lost' record_whole threads.etl -e r201:6500 -- taskset 1 pmu_rings 50 3
wtrace view threads.etl --group-by tid --where "$mine" --top 0 >tids
is 'threads: each has what it rang' "$(awk '$2 ~ /^[0-9]+$/ && $3 ~ /^[0-9]+$/ { print $2 }' tids | sort -n | tr '\n' ' ')" '50 100 150 '
done_testing
