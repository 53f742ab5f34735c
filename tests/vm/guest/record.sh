#!/bin/sh
# SPDX-License-Identifier: MIT
# PMU events with real overflow interrupts: by name, by raw number, by the PMU's own terms. Sampled, resolved, viewed.
. /tests/lib.sh
. /tests/whole.sh

check 'doctor' wtrace doctor
check_out 'sees the PMU' 'armv8_pmuv3_0'

share_of() { # FUNCTION FILE: its overhead in the table of busy
	wtrace view "$2" --group-by function --where "comm == 'busy'" --top 0 |
		awk -v f="$1:busy" '$3 == f { print $1 }'
}

# The tables of what runs here are made once; a slow machine has no time for that beside everything else.
check 'see the program once, for its tables' wtrace record --stackwalk -o once.etl -- busy 1

for event in cycles r08 armv8_pmuv3_0/event=8/; do
	file=$(echo "$event" | tr / _).etl
	check "$event: record, nothing lost" record_whole "$file" --stackwalk -e "$event:4000000" -- busy 2
	check "$event: view" wtrace view "$file" --group-by function --where "comm == 'busy'"
	at_least "$event: samples" "$(awk '/^100.00%/ { print $2 }' "$TMP/out")" 300
	check_out "$event: the table names it" "sample source: $event"
	check_out "$event: functions are resolved" 'spin_hot:busy'
	at_least "$event: three quarters in spin_hot" "$(share_of spin_hot "$file")" 65
	at_most "$event: three quarters in spin_hot" "$(share_of spin_hot "$file")" 85
	at_least "$event: one quarter in spin_warm" "$(share_of spin_warm "$file")" 15
	check "$event: callers" wtrace view "$file" --group-by function --inclusive --where "comm == 'busy'" --top 0
	check_out "$event: work_outer is one" 'work_outer:busy'
	check "$event: kernel side" wtrace view "$file" --group-by module --top 0
done

check 'the default event' wtrace record -o default.etl -- busy 1
check 'is the cycle counter' wtrace view default.etl
check_out 'by name' 'sample source: cycles'

# The kernel lowers its limit by itself when interrupts take long; the default rate must not fail then.
echo 25 >/proc/sys/kernel/perf_cpu_time_max_percent
echo 500 >/proc/sys/kernel/perf_event_max_sample_rate
check 'the default rate above the limit of the kernel' wtrace record -o slow.etl -- busy 1
check_err 'is lowered, and says so' 'perf_event_max_sample_rate'
echo 100000 >/proc/sys/kernel/perf_event_max_sample_rate
echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent

check_exit 'a PMU term that is not there' 2 wtrace record -e armv8_pmuv3_0/evnt=8/ -o x.etl -- true
check_err 'names the nearest' "event"
done_testing
