#!/bin/sh
# SPDX-License-Identifier: MIT
# Wake-ups counted by somebody else, by descriptors that only count, against those written and lost. A kernel may count
# events that it does not sample; then they are lost with that cause, and every sum is exact. WT_WAKEUP_SECONDS: how long.
# Runs alone.
. "$(dirname "$0")/lib.sh"

tests=$WT_ROOT/tests/integration
check 'counted = written + lost, for each event, between two counters' python3 "$tests/wakeups.py" "${WT_WAKEUP_SECONDS:-2}"
cp out said
sed 's/^/# /' said
check 'the view' wtrace view wakeups.etl --group-by event
check_out 'says that all counters add up' 'as counted at the source by ([0-9]+) of \1 counters'
if grep -q 'not sampled' said; then
	check_out 'and what was not sampled' 'linux:sched/sched_wak[a-z]+, not sampled: [0-9]+ events?'
	check_exit '--strict tells a script' 3 wtrace view wakeups.etl --strict
fi
is 'no warning of sums' "$(grep -c 'were counted' stop.err)" 0
done_testing
