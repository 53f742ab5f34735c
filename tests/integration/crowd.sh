#!/bin/sh
# SPDX-License-Identifier: MIT
# Many of everything, and programs that end badly: events, processes, lives of two milliseconds, SIGKILL in the middle of
# a write, SIGSTOP when the session ends.
. "$(dirname "$0")/lib.sh"

PROGRAMS="$WT_ROOT/build/tests/programs"
SDK="$WT_ROOT/build/sdk"
export LD_LIBRARY_PATH="$SDK"
APP="$PROGRAMS/sdk_app" STATIC="$PROGRAMS/static_sdk_app"

# PRODUCED WRITTEN LOST of sdk-app, from the log's own account.
counted() {
	wtrace dump "$1" --json -e counted | python3 -c '
import json, sys
p = w = l = 0
for line in sys.stdin:
    f = json.loads(line)["fields"]
    if f["provider"] == "sdk-app":
        p += f["produced"]; w += f["written"]; l += f["lost"]
print(p, w, l)'
}

# Ten thousand events in one provider, by its manifest; the last one is as good as the first.
awk 'BEGIN {
	print "{\"wtrace_manifest\": 1, \"provider\": \"large\", \"events\": ["
	for (i = 0; i < 10000; i++)
		printf "%s{\"id\": %d, \"name\": \"event_%d\", \"fields\": [{\"name\": \"x\", \"type\": \"u32\"}]}\n", i ? "," : "", i, i
	print "]}" }' >large.json
cat >large.c <<'PROGRAM'
#include "large.h"
int main(void)
{
	if (wtrace_register(&large_provider))
		return 1;
	large_event_0(10);
	large_event_5000(20);
	large_event_9999(30);
	wtrace_unregister(&large_provider);
	return 0;
}
PROGRAM
check 'the header of 10,000 events' wtrace manifest header large.json -o large.h
check 'a program with them' gcc -I"$SDK" -I. large.c -o large_app -L"$SDK" -lwtrace
check 'is recorded' wtrace record -s "$(session large)" -p large --strict -o large.etl -- ./large_app
is 'its first event, one in the middle and its last' \
	"$(wtrace dump large.etl | sed -n 's/.* large\/\(event_[0-9]*\) x=\([0-9]*\).*/\1=\2/p' | tr '\n' ' ')" \
	'event_0=10 event_5000=20 event_9999=30 '
check 'a session with filters on it' wtrace record -s "$(session some)" -p large --filter 'large:id=9999' -o some.etl -- ./large_app
is 'has what passes' "$(wtrace dump some.etl | grep -c ' large/')" 1

# A thousand programs that live about two milliseconds each, one after the other.
s=$(session short)
check 'a session' wtrace start -s "$s" -p sdk-app
i=0
while [ $i -lt 500 ]; do
	"$APP" early && "$STATIC" early
	i=$((i + 1))
done >said
is 'a thousand programs ran' "$(grep -c '^1 tick$' said)" 1000
check 'stop' wtrace stop -s "$s" -o short.etl
is 'none is missed' "$(wtrace dump short.etl | grep -c 'sdk-app/tick n=0')" 1000

# A thousand programs at once, each with a ring of its own.
mkfifo hold
s=$(session many)
check 'a session' wtrace start -s "$s" -p sdk-app
exec 7<>hold
i=0
while [ $i -lt 1000 ]; do
	"$STATIC" hold <&7 >>many.out 7<&- &
	many="${many:-} $!"
	i=$((i + 1))
done
all_hold() { [ "$(grep -c '^1 tick$' many.out)" = 1000 ]; }
check 'a thousand programs run' wait_until 60 all_hold
check 'status' wtrace status -s "$s"
check_out 'knows of their buffers' '[1-9][0-9]{3,} rings|[1-9][0-9]{3,} lanes'
check 'stop' wtrace stop -s "$s" -o many.etl
is 'every event of every one is there' "$(wtrace dump many.etl | grep -c 'sdk-app/tick n=0')" 1000
# shellcheck disable=SC2086
kill -KILL $many
wait 2>/dev/null
exec 7<&-

# More of them than the session may open files: it goes on with what it has, and says what is missing.
s=$(session few)
check 'a session that may open 200 files' sh -c "ulimit -Sn 200; ulimit -Hn 200; exec wtrace start -s $s -p user:sdk-app"
exec 7<>hold
many='' i=0
: >many.out
while [ $i -lt 300 ]; do
	"$STATIC" hold <&7 >>many.out 7<&- &
	many="$many $!"
	i=$((i + 1))
done
all_hold() { [ "$(grep -c '^1 tick$' many.out)" = 300 ]; }
check 'three hundred programs run' wait_until 60 all_hold
check 'status' wait_until 20 sh -c "wtrace status -s $s | grep -q 'Too many open files'"
check 'stop' wtrace stop -s "$s" -o few.etl
# How many: that depends on the CPUs they ran on, each of which is a file.
at_least 'the events of some are there' "$(wtrace dump few.etl | grep -c 'sdk-app/tick n=0')" 10
check 'their rings are still there' sh -c "ls -d '$WTRACE_RUNTIME'/*few*rings*"
# shellcheck disable=SC2086
kill -KILL $many
wait 2>/dev/null
exec 7<&-

# Programs killed while they write: what each was told is done is accounted for, at most one event more.
s=$(session killed)
check 'a session' wtrace start -s "$s" -p sdk-app
i=0
while [ $i -lt 100 ]; do
	set -- "$APP"
	[ $((i % 3)) != 1 ] || set -- "$STATIC"
	[ $((i % 3)) != 2 ] || set -- env GLIBC_TUNABLES=glibc.pthread.rseq=0 "$APP"
	"$@" acked "acked-$i" &
	victim=$!
	wait_until 30 test -s "acked-$i"
	sleep 0.0$((i % 5))
	kill -KILL $victim
	wait $victim 2>/dev/null
	i=$((i + 1))
done 2>/dev/null
check 'stop' timeout 60 wtrace stop -s "$s" -o killed.etl
acked=$(python3 -c '
import glob, struct
print(sum(struct.unpack("<Q", open(f, "rb").read(8))[0] for f in glob.glob("acked-*")))')
# shellcheck disable=SC2046
set -- $(counted killed.etl)
is 'written + lost = produced' "$1" "$(($2 + $3))"
at_least 'every event that was acknowledged is accounted for' "$1" "$acked"
at_most 'and at most one more of each' "$1" "$((acked + 100))"
at_least 'there were enough of them' "$acked" 10000
is 'the log has what it says' "$(wtrace dump killed.etl | grep -c sdk-app/tick)" "$2"
is 'no place is damaged' "$(wtrace dump killed.etl -e lost | grep -c damaged)" 0

# Programs that are stopped in the middle of writing do not keep the session from ending.
s=$(session stopped)
check 'a session' wtrace start -s "$s" -p sdk-app
stopped=
for i in 1 2 3 4 5 6; do
	set -- "$APP"
	[ $((i % 2)) = 0 ] || set -- env GLIBC_TUNABLES=glibc.pthread.rseq=0 "$APP"
	"$@" acked "stopped-$i" &
	stopped="$stopped $!"
done
written() { for i in 1 2 3 4 5 6; do [ -s "stopped-$i" ] || return 1; done; }
check 'programs write' wait_until 30 written
# shellcheck disable=SC2086
kill -STOP $stopped
check 'stop returns with stopped writers' timeout 20 wtrace stop -s "$s" -o stopped.etl
check 'the log is whole' wtrace dump stopped.etl
# shellcheck disable=SC2046
set -- $(counted stopped.etl)
is 'written + lost = produced' "$1" "$(($2 + $3))"
s=$(session after)
check 'the next session' wtrace start -s "$s" -p sdk-app
# shellcheck disable=SC2086
kill -CONT $stopped
check 'has a program of its own' "$APP" ticks 10
check 'and the ones that go on' wait_until 20 sh -c "wtrace status -s $s | grep -q 'fullest'"
# shellcheck disable=SC2086
kill -KILL $stopped
wait 2>/dev/null
check 'stop' timeout 60 wtrace stop -s "$s" -o after.etl
check 'the log is whole' wtrace dump after.etl
done_testing
