#!/bin/sh
# SPDX-License-Identifier: MIT
# A user who moves memory or writes there as fast as he can takes no room from others: what goes beyond his share is left out.
# On a slow machine nothing does. When the ring overflows, the mappings of all are in doubt until they have been read again.
# Without the scripted PMU: with it, the emulated machine stands still here.
. /tests/lib.sh
count() { # LOG CONDITION
	n=$(wtrace view "$1" --where "$2" --group-by comm --csv 2>/dev/null | tail -n +2 | cut -d, -f4 | awk '{ n += $1 } END { print n + 0 }')
	echo "${n:-0}"
}
lost() { # LOG CAUSE: events of the loader
	wtrace dump "$1" -e wtrace/lost --json 2>/dev/null | grep '"provider":"[^"]*loader' | grep "\"cause_text\":\"$2" |
		sed -n 's/.*"count":\([0-9]*\).*/\1/p' | awk '{ n += $1 } END { print n + 0 }'
}
for way in moves writes; do
	check "$way: start" wtrace start -q -p pmu-profile,loader,proc_thread -e cpu-clock:10000000 --stackwalk --session side
	busy 600 >victim.out 2>&1 &
	victim=$!
	check "$way: the victim runs" wait_until 30 grep -q ready victim.out
	for flood in 1 2; do
		su nobody -s /bin/sh -c "sideband_flood $way 100000" &
		eval "flood$flood=\$!"
	done
	check "$way: the first flood ends" wait "$flood1"
	check "$way: the second flood ends" wait "$flood2"
	check "$way: stop" wtrace stop -q --session side -o "$way.etl"
	kill "$victim"
	full=$(lost "$way.etl" 'ring full') share=5
	echo "# $way: $(lost "$way.etl" "over this user's share") left out, $full lost as a ring was full"
	[ "$full" -ne 0 ] || share=9
	all=$(count "$way.etl" "comm == 'busy'")
	at_least "$way: samples of the victim" "$all" 10
	at_least "$way: $share of ten have names" \
		"$(count "$way.etl" "comm == 'busy' && (module == 'busy' || module == '[kernel]')")" $((all * share / 10))
done
done_testing
