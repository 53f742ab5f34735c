#!/bin/sh
# SPDX-License-Identifier: MIT
# Idle CPUs are not sampled; how long they were idle is told, within what /proc/stat says around the session.
# Runs alone.
. "$(dirname "$0")/lib.sh"
stat_ms() { awk -v hz="$(getconf CLK_TCK)" '/^cpu[0-9]/ { sum += $5 + $6 } END { printf "%d\n", sum * 1000 / hz }' /proc/stat; }

s=$(session idle)
before=$(stat_ms)
check 'a session' wtrace start -s "$s" --stackwalk
inside=$(stat_ms)
sleep 1
inside=$(($(stat_ms) - inside))
check 'it stops' wtrace stop -q -s "$s" -o idle.etl
around=$(($(stat_ms) - before))
events=$(wtrace dump idle.etl -e pmu-profile/idle 2>err | grep -c idle)
at_least 'a CPU at least' "$events" 1
told=$(wtrace view idle.etl -e pmu-profile/idle --group-by event --columns sum:time --csv | tr -d '\r' | sed -n 's/.*,\([0-9]*\)$/\1/p' | awk '{ sum += $1 } END { printf "%d\n", sum / 1000000 }')
# The kernel tells in steps of 10 ms, and each reading may be off by one for each CPU.
slack=$((20 * events + 20))
at_most 'not more idle than around it' "$told" $((around + slack))
at_least 'not less than inside' "$told" $((inside - slack))
is 'no sample of the idle task' "$(wtrace dump idle.etl -e pmu-profile/sample --where 'pid == 0' 2>/dev/null | grep -c sample)" 0
wtrace view idle.etl >out 2>err
check_out 'the header tells' '^idle        [0-9.]+ s of [0-9.]+ s on [0-9]+ CPUs? \([0-9.]+ %\), by /proc/stat: not sampled$'
done_testing
