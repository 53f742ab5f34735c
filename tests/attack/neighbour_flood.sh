#!/bin/sh
# SPDX-License-Identifier: MIT
# A user whose programs write the largest events there are as fast as they can, into a session that traces somebody else too:
# answers are given, none of the other's events is lost, and of the flood everything is written or counted.
# WT_ATTACK_WHOLE=1 goes on for a minute, and judges the longest answer while it lasts: 1 s.
. "$(dirname "$0")/lib.sh"
rounds=2 burst=400
[ -z "${WT_ATTACK_WHOLE:-}" ] || rounds=60 burst=4000
user_directory 4242 4243
check 'start' wtrace start -q -p emit
# 65,336 bytes of payload: a record of 64 KB takes no more.
cat >flood.sh <<'P'
while [ ! -e enough ]; do user_emit -e 3 -s 65000 -n "$1" -t 2 || exit; done >wtrace-4242/flooded
P
background as 4242 sh flood.sh "$burst"
check 'the flood has begun' wait_until 30 test -s wtrace-4242/flooded
i=0
while [ $i -lt $rounds ]; do
	i=$((i + 1))
	as 4243 user_emit -n 2000 -d 50 >>written 2>&1
	timed wtrace status || not_ok 'status' "$(cat err)"
done
touch enough
wait "$bg"
check 'stop' wtrace stop -o flood.etl
echo "# the longest answer took $longest ms; flooded: $(awk '{ ok += $2; full += $4 } END { print ok " events, " full " refused" }' wtrace-4242/flooded)"
is 'the other user wrote all' "$(grep -c '^ok 2000 full 0 ' written)" "$rounds"
is 'and all of it is there' "$(events flood.etl tick)" $((rounds * 2000))
is 'the flood is written or counted' "$(awk '{ n += $2 + $4 } END { print n }' wtrace-4242/flooded)" \
	"$(wtrace dump flood.etl --json | python3 -c '
import json, sys
big = lost = 0
for event in map(json.loads, sys.stdin):
    big += event["event"] == "big"
    if event["event"] == "lost":
        lost += event["fields"]["count"]
print(big + lost)')"
[ -z "${WT_ATTACK_WHOLE:-}" ] || at_most 'the longest answer, ms' "$longest" 1000
done_testing
