#!/bin/sh
# SPDX-License-Identifier: MIT
# By hand, for it takes minutes, on x86-64: how often the printed interval of 24 events on 7 counters holds the truth, and how
# far the scaled values are from it, with perf stat's beside. scripted_stat.sh has a short form. The events count in the
# first ON of each BURST milliseconds alone (tests/vm/pmu/law.h).
. /tests/lib.sh

key() { # KEY TEXT: of a row of stat's JSON
	printf 'x = $0; sub(/.*"%s":"?/, "", x); sub(/[",}].*/, "", x); %s = x' "$1" "$2"
}
truth='n * 4 * t * 10000000 * on / burst'
intervals() { # BURST ON SECONDS RUNS PERF'S-RUNS
	list='' of="burst=$1,on=$2"
	for n in $(seq 33 56); do list=$list,cpu/event=$n,$of/; done
	: >ours && : >theirs
	for run in $(seq "$4"); do
		wtrace stat -c 0 -k -e "${list#,}" --json --timeout "$3" >out
		elapsed=$(sed 's/.*"Time_elapsed":\([0-9.]*\).*/\1/' out)
		sed 's/"overall".*//' out | tr '{' '\n' | grep '"event_name":"cpu/event=' | awk -v t="$elapsed" -v burst="$1" -v on="$2" "{
			n = \$0; sub(/.*event=/, \"\", n); sub(/,.*/, \"\", n)
			$(key scaled_low low); $(key scaled_high high); $(key scaled_value value)
			print $truth, low, high, value }" >>ours
		[ "$run" -gt "$5" ] || perf stat -x';' -o perf.csv -C 0 -e "${list#,}" sleep "$3"
		[ "$run" -gt "$5" ] || awk -F';' -v t="$3" -v burst="$1" -v on="$2" "/event=/ {
			n = \$3; sub(/.*event=/, \"\", n); sub(/,.*/, \"\", n); print $truth, \$1 }" perf.csv >>theirs
	done
	is "bursts of $2 in $1 ms, counts of $3 s: 24 events in each run" "$(grep -c . ours)" $((24 * $4))
	at_least "bursts of $2 in $1 ms, counts of $3 s: per cent of intervals that hold the truth" \
		"$(awk '$2 <= $1 && $1 <= $3 { held++ } END { printf "%.1f\n", 100 * held / NR }' ours)" 95
	awk '{ e = ($4 - $1) / $1; squares += e * e; half += ($3 - $2) / 2 / $1 } $2 <= $1 && $1 <= $3 { held++ }
		END { printf "# %d of %d hold, mean half width %.2f %%, mean square error %.6f\n", held, NR, 100 * half / NR, squares / NR }' ours
	awk '{ e = ($2 - $1) / $1; squares += e * e } END { printf "# mean square error of perf stat %.6f\n", squares / NR }' theirs
}

intervals 10 3 5 20 6
intervals 10 3 2 40 6
intervals 96 28 5 10 6
done_testing
