#!/bin/sh
# SPDX-License-Identifier: MIT
# What wtrace stat says of the scripted PMUs, against their law (tests/vm/pmu/law.h): what is rung is exact, and so are the
# relations of a group; what is by the law of time is compared with the time that stat says.
. /tests/lib.sh
core=cpu
[ -e /sys/bus/event_source/devices/cpu ] || core=armv8_scripted
parameters=/sys/module/scripted_pmu/parameters

field() { # KEY EVENT: from stat's JSON in out, one line for each place where the event stands
	tr '{' '\n' <out | grep -F "\"event_name\":\"$2\"" | sed -n "s/.*\"$1\":\"\{0,1\}\([^,\"}]*\).*/\1/p"
}
value() { field counter_value "$1" | tail -n 1; }
scaled() { field scaled_value "$1" | tail -n 1; }
elapsed() { sed 's/.*"Time_elapsed":\([0-9.]*\).*/\1/' out; }
near() { # NAME GOT WANTED: within 1 %
	if awk -v a="$2" -v b="$3" 'BEGIN { exit !(a != "" && a >= 0.99 * b && a <= 1.01 * b) }'; then ok "$1"; else
		not_ok "$1" "got '$2', wanted $3 within 1 %"
	fi
}
by_time() { awk -v rate="$1" -v t="$(elapsed)" 'BEGIN { printf "%.0f\n", rate * t * 10000000 }'; } # RATE in 100 ns

# --- what a command rings: 100 rounds in 3 threads are 600 calls of each function
check 'rings' wtrace stat -e r200,r201 --json -- pmu_rings 100 3
is 'rings: user mode' "$(value r200)" 2400000
is 'rings: another event' "$(value r201)" 3900000
check 'rings, the kernel too' wtrace stat -k -e r200,r201 --json -- pmu_rings 100 3
is 'rings: both modes' "$(value r200)" 3000000
check 'rings, split' wtrace stat -e r200:u,r200:k --json -- pmu_rings 100 3
is 'rings: :u' "$(value r200:u)" 2400000
is 'rings: :k' "$(value r200:k)" 600000
check 'rings, as a group' wtrace stat -e "{r200,r201,$core/rung/}" --json -- pmu_rings 100 3
is 'rings: the PMU has a name for it' "$(value "$core/rung/")" 2400000
check 'rings, three times' wtrace stat -r 3 -e r200 --json -- pmu_rings 100
is 'rings: the mean of equal runs' "$(value r200)" 400000
is 'rings: and no deviation' "$(field deviation r200 | head -n 1)" 0.000
check 'rings, as text' wtrace stat -e r201 -- pmu_rings 100 3
check_out 'rings: with commas' '^ *3,900,000 +r201 '
check_exit 'the exit code of the command' 7 wtrace stat -e r200 --json -- sh -c 'pmu_rings 10; exit 7'
is 'and its counts' "$(value r200)" 40000

# Threads that are there already: they ring when stat counts, and stat ends with them.
mkfifo go
pmu_rings 100 3 wait <go >rang &
rings=$!
exec 3>go
tasks_there() { [ "$(ls /proc/$rings/task | wc -l)" = 4 ]; }
stat_counts() { [ "$(ls -l "/proc/$bg/fd" | grep -c perf_event)" -ge 4 ] && grep -q '^State:.*sleeping' "/proc/$bg/status"; }
threads_of() { # tid and count of each thread that counted something
	sed 's/"overall".*//' "$1" | tr '{' '\n' | sed -n 's/.*"tid":\([0-9]*\).*/\1/p; s/.*"counter_value":\([0-9]*\).*/\1/p' |
		paste -d ' ' - - | grep -v ' 0$' | sort
}
wait_until 20 tasks_there
background wtrace stat --pid $rings --by thread -e r201 --json 3>&-
check 'threads: stat counts' wait_until 20 stat_counts
exec 3>&-
check 'threads: stat ends with them' wait_until 60 [ ! -e "/proc/$bg/fd/0" ]
wait $rings
is 'threads: each has what it rang' "$(threads_of background.out)" "$(awk '{ print $2, $5 }' rang | sort)"

# --- groups and counters
check 'a group' wtrace stat -c 0 -k -e '{r01,r02,r03,r05,r07,r0b,r0d}' --json --timeout 0.3
is 'a group: in exact proportion' "$(for n in 02 03 05 07 0b 0d; do echo "$(value r$n) $(value r01)"; done | awk '{ printf "%s ", $1 / $2 }')" \
	'2 3 5 7 11 13 '
near 'a group: the law of time' "$(value r0d)" "$(by_time 52)"
check 'user mode alone' wtrace stat -c 0 -e r10 --json --timeout 0.3
near 'is 3 of 4' "$(value r10)" "$(by_time 48)"
check_exit 'a group of 8' 1 wtrace stat -c 0 -e '{r01,r02,r03,r04,r05,r06,r07,r08}' --timeout 0.1
check_err 'is too large for 7 counters' '8.*7'
echo 6 >$parameters/taken
check_exit 'a group of 2 where one counter is left' 0 wtrace stat -c 0 -e '{r01,r02}' --json --timeout 0.2
is 'is not counted, which is not 0' "$(value r01)" null
check 'as text' wtrace stat -c 0 -e '{r01,r02}' --timeout 0.2
check_out 'it says so' 'not counted'
echo 0 >$parameters/taken

# --- more events than counters
many=r01 && for n in $(seq 2 24); do many=$many,r$(printf %02x "$n"); done
check '24 events on 7 counters' wtrace stat -c 0 -k -e "$many" --json --timeout 5
cp out many.json
for n in 1 7 8 16 24; do
	event=r$(printf %02x "$n")
	near "24 events: $event, scaled" "$(scaled "$event")" "$(by_time $((4 * n)))"
done
is 'all of them within 1 %' "$(for n in $(seq 24); do echo "$(scaled "r$(printf %02x "$n")") $(by_time $((4 * n)))"; done |
	awk '$1 >= 0.99 * $2 && $1 <= 1.01 * $2 { n++ } END { print n + 0 }')" 24
check_out 'the table says that they took turns' '"multiplexed":"~'

# test -e says in which turns the kernel counts. perf counts so. stat has more events at random, and test says what share of
# the time that leaves for each.
plan='{r1b,r70,r71},r75,r74,r73,r78,r77,r04,r14'
check 'the turns, as test says them' wtrace test -e "$plan"
shares_of() { # ROW: "EVENT SHARE" of each event
	awk -v row="$1" '$1 == row { for (i = 2; i < NF; i += 2) {
		gsub(/[{}]/, "", $i); n = split($i, names, ","); share = $(i + 1); sub(/~/, "", share)
		if (sub(/%/, "", share)) share /= 100; else { split(share, part, "/"); share = part[1] / part[2] }
		for (k = 1; k <= n; k++) print names[k], share } }' out | sort
}
shares_of schedule.turns_of_each >said
shares_of schedule.share_of_each_in_stat >said_of_stat
is 'the turns: stat has two more at most' "$(awk '/additional_events_of_stat/ { print $2, $3, $4 }' out)" '0 to 2'
far() { # FILE FILE MOST: events whose shares differ by more
	awk -v most="$3" 'NR == FNR { said[$1] = $2; next } { d = said[$1] - $2 } d > most || d < -most { print $1 }' "$1" "$2" | tr '\n' ' '
}
if command -v perf >/dev/null; then
	perf stat -C 0 -x , -e "$plan" sleep 3 2>&1 | awk -F , '$3 { print $3, $5 / 100 }' | sort >counted
	is 'the turns, as perf sees them: ten events' "$(wc -l <counted | tr -d ' ')" 10
	is 'the turns, as perf sees them: the shares that test says' "$(far said counted 0.02)" ''
	echo "# perf: $(tr '\n' ' ' <counted)"
fi
check 'the turns, as stat has them' wtrace stat -c 0 -k -e "$plan" --timeout 3 --json
tr '{' '\n' <out | sed -n 's|.*"event_name":"\([^"]*\)".*"multiplexed":"~*\([0-9]*\)/\([0-9]*\)".*|\1 \2 \3|p' |
	awk '{ print $1, $2 / $3 }' | sort >seen
is 'the turns: of the same ten events' "$(cut -d ' ' -f 1 seen | tr '\n' ' ')" "$(cut -d ' ' -f 1 said | tr '\n' ' ')"
# Some 70 draws: 0.05 is more than three of their standard errors.
is 'the turns of stat: the shares that test says' "$(far said_of_stat seen 0.05)" ''
is 'the turns: a group counts together' "$(awk '$1 ~ /^r(1b|70|71)$/ { print $2 }' seen | sort -u | wc -l | tr -d ' ')" 1
echo "# said: $(tr '\n' ' ' <said_of_stat)" && echo "# seen: $(tr '\n' ' ' <seen)"

# An event into a log by a name of its own: what the law of time says of 0x70 and 0x1b, read at one moment.
total() { # COUNTER: the kernel's sum over all CPUs
	wtrace dump counts.etl -e counters/total --where "counter == '$1'" --csv | tr -d '\r' |
		awk -F, '{ gsub(/"/, "") } NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR > 1 { n += $at["value"] } END { printf "%.0f\n", n }'
}
check 'a log of counts by name' wtrace record -q -p counters:loads=r70+r1b:info --count-interval 50ms -o counts.etl -- busy 1
at_least 'a log of counts: it has the name' "$(total loads)" 1
is 'a log of counts: in exact proportion' "$(awk -v l="$(total loads)" -v i="$(total r1b)" 'BEGIN { print l * 27 == i * 112 }')" 1

# Those that count in the first ON of each BURST milliseconds alone: the printed interval should hold the truth in 95 % of
# runs. The 24 events of one run see the same bursts, so that a bad run is bad for many of them: four runs are judged together.
# By a model of the turns 98 % of the 96 hold and 83 is the fewest in 6000 draws; 76 leave room for far more than that.
bursts() { # BURST ON: in held, how many intervals of the four runs hold the truth
	list='' of="burst=$1,on=$2"
	for n in $(seq 33 56); do list=$list,$core/event=$n,$of/; done
	for run in 1 2 3 4; do
		check "bursts of $2 in $1 ms, run $run" wtrace stat -c 0 -k -e "${list#,}" --json --timeout 2
		for n in $(seq 33 56); do
			event="$core/event=$n,$of/"
			echo "$(by_time $((4 * n))) $(field scaled_low "$event" | tail -n 1) $(field scaled_high "$event" | tail -n 1)"
		done >"intervals.$run"
		echo "# run $run: $(held_of "$1" "$2" "intervals.$run") of 24"
	done
	held=$(cat intervals.[1-4] >intervals && held_of "$1" "$2" intervals)
}
held_of() { # BURST ON FILE
	awk -v on="$2" -v burst="$1" '{ truth = $1 * on / burst } $2 != "" && $2 <= truth && truth <= $3 { n++ }
		END { print n + 0 }' "$3"
}
bursts 10 3
at_least 'bursts: of 96 intervals hold the truth' "$held" 76
bursts 96 28
at_least 'bursts at the pace of the rotation: of 96 intervals hold it' "$held" 76

# --- metrics: from scaled values
echo 'ratio=inst/cyc' >metrics
check 'a metric' wtrace stat -c 0 -k -E 'inst:08,cyc:11' -C metrics -m ratio -e "$many" --json --timeout 5
is 'a metric: 8/17' "$(sed 's/.*"metric_name":"ratio","value":"\([0-9.]*\)".*/\1/' out | awk '{ printf "%.2f", $1 }')" 0.47

# --- uncore: once for each PMU, on the CPU of its mask
uncore=arm_dsu_0/l3d_cache/,arm_dsu_1/l3d_cache/,arm_cmn_0/hnf_cache_miss/,arm_dmc620_0/clkdiv2_rdwr/,arm_dmc620_1/clk_cycle_count/
check 'uncore' wtrace stat -e $uncore --json --timeout 1
near 'uncore: a cluster' "$(value arm_dsu_0/l3d_cache/)" "$(by_time 43)"
near 'uncore: the other cluster' "$(value arm_dsu_1/l3d_cache/)" "$(by_time 86)"
near 'uncore: the mesh' "$(value arm_cmn_0/hnf_cache_miss/)" "$(by_time 60)"
near 'uncore: a channel' "$(value arm_dmc620_0/clkdiv2_rdwr/)" "$(by_time 19)"
near 'uncore: the other channel' "$(value arm_dmc620_1/clk_cycle_count/)" "$(by_time 4)"
check 'a node of the mesh' wtrace stat -e arm_cmn_0/type=5,eventid=1,bynodeid=1,nodeid=6/ --json --timeout 1
near 'a node of the mesh: its part' "$(value arm_cmn_0/type=5,eventid=1,bynodeid=1,nodeid=6/)" "$(by_time 18)"

# Metrics of all units and of each, in bytes of the time that was counted.
metric() { # NAME: from stat's JSON in out, the value in the last row that has it
	tr '{' '\n' <out | grep -F "\"metric_name\":\"$1\"" | sed -n 's/.*"value":"\([^"]*\)".*/\1/p' | tail -n 1
}
bytes() { awk -v rate="$1" 'BEGIN { printf "%.0f\n", rate * 64 * 10000000 }'; } # RATE in 100 ns, of 64 bytes each
check 'uncore metrics' wtrace stat -m l3_cache,ddr_bw --json --timeout 1
near 'uncore metrics: the L3 caches' "$(metric l3_bandwidth)" "$(bytes 129)"
near 'uncore metrics: that of a cluster' "$(metric l3_bandwidth.0)" "$(bytes 43)"
near 'uncore metrics: and of the other' "$(metric l3_bandwidth.1)" "$(bytes 86)"
near 'uncore metrics: misses, 42 of 43' "$(metric l3_miss_ratio)" 97.674
near 'uncore metrics: the memory' "$(metric ddr_bandwidth)" "$(bytes 57)"
near 'uncore metrics: a channel of it' "$(metric ddr_bandwidth.1)" "$(bytes 38)"
of_unit() { # KEY UNIT FIELD: of wperf's tables in out, the number in FIELD of the row of UNIT
	tr '{' '\n' <out | grep -F "\"$1\":\"$2\"" | sed -n "s/.*\"$3\":\"\{0,1\}\([0-9.]*\).*/\1/p"
}
mega() { awk -v rate="$1" 'BEGIN { printf "%.3f\n", rate * 64 * 10 }'; } # RATE in 100 ns, of 64 bytes each
near 'wperf JSON: L3 caches, all' "$(of_unit cluster all read_bandwidth)" "$(mega 129)"
near 'wperf JSON: a cluster' "$(of_unit cluster 1 read_bandwidth)" "$(mega 86)"
near 'wperf JSON: its misses' "$(of_unit cluster 1 miss_rate)" 97.674
near 'wperf JSON: a channel' "$(of_unit channel 1 rw_bandwidth)" "$(mega 38)"
near 'wperf JSON: events of a channel' "$(of_unit pmu_id 'dmc 0' counter_value)" "$(by_time 19)"
is 'wperf JSON: events by cluster' "$(grep -c '"dsu":{"0":{"Performance_counter":\[{"counter_value":[0-9]' out)" 1
check 'uncore, in words of wperf' wtrace stat -e /dsu/l3d_cache,/dmc_clkdiv2/rdwr --json --timeout 1
near 'uncore, in words of wperf: all clusters' "$(value arm_dsu.l3d_cache)" "$(by_time 129)"
near 'uncore, in words of wperf: all channels' "$(value arm_dmc620.clkdiv2_rdwr)" "$(by_time 57)"

# --- again and again
check 'a timeline' wtrace stat -t -i 0 -n 3 --timeout 0.5 -c 0 -k -e r19 --output-csv line.csv
is 'a timeline: three counts' "$(grep -c '^[0-9][0-9]*,$' line.csv)" 3
is 'a timeline: each by the law' "$(grep '^[0-9][0-9]*,$' line.csv | awk -F , '$1 > 0.97 * 500000000 && $1 < 1.03 * 500000000' | wc -l)" 3

# --- perf beside it, where it is at hand: on x86-64 the machine has it
if [ -x /bin/perf ]; then
	for event in r200:u r200:k r201:u; do
		perf stat -x, -o perf.csv -e "$event" -- pmu_rings 100 3 >/dev/null 2>&1
		check "perf beside: $event" wtrace stat -e "$event" --json -- pmu_rings 100 3
		is "perf beside: $event is equal" "$(value "$event")" "$(awk -F , -v e="$event" '$3 == e { print $1 }' perf.csv)"
	done
	perf stat -x, -o perf.csv -C 0 -e "$many" sleep 5
	cp many.json out
	for n in $(seq 24); do echo "$(scaled "r$(printf %02x "$n")") $n"; done >wtrace.values
	for n in $(seq 24); do awk -F , -v e="r$(printf %02x "$n")" -v n="$n" '$3 == e { print $1, n }' perf.csv; done >perf.values
	for tool in wtrace perf; do # beside each other, whatever the time was
		awk -v tool=$tool '{ v = $1 / $2; low = !low || v < low ? v : low; high = v > high ? v : high; n++ }
			END { printf "# %d events on 7 counters: %s has %.4f %% between the least and the most\n", n, tool, 100 * (high / low - 1) }' \
			$tool.values
	done
fi
done_testing
