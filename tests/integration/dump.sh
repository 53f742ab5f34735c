#!/bin/sh
# SPDX-License-Identifier: MIT
# dump in its other forms: CSV is, value by value, what JSON says; --follow prints what a session or a growing file gets
# while it gets it, ends with it, and has then printed every event once.
# Runs beside others.
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/user.sh"

for file in "$root"/tests/golden/*.wtl "$root/tests/cli/view.etl"; do
	wtrace dump "$file" --csv --stack --absolute --no-resolve >events.csv 2>/dev/null
	wtrace dump "$file" --json --absolute --no-resolve >events.json 2>/dev/null
	check "$(basename "$file"): CSV and JSON say the same" /usr/bin/python3 "$root/tests/integration/csv_compare.py" events.csv events.json
done
check 'record' wtrace record -q -p 'pmu-profile,emit,linux:sched:sched_switch' --stackwalk -F 499 -o run.etl -- \
	sh -c 'user_emit -n 500 -t 2 -e 3 -s 24; ls -l /usr/bin >/dev/null'
wtrace dump run.etl --csv --stack --absolute >events.csv
wtrace dump run.etl --json --absolute >events.json
check 'a recording: CSV and JSON say the same' /usr/bin/python3 "$root/tests/integration/csv_compare.py" events.csv events.json
check_out 'and there is much' '^[1-9][0-9]{3,} events, [1-9][0-9]{3,} values are equal$'
check 'one event' wtrace dump run.etl --csv -e sched_switch
is 'has the columns of its fields alone' "$(head -1 out | tr -d '\r')" \
	'"time","cpu","process","pid","thread","tid","provider","event","recorder","claimed","activity","related","stack","stack_status","prev_comm","prev_pid","prev_prio","prev_state","next_comm","next_pid","next_prio"'

# A session: what comes shows while it runs.
check 'start' wtrace start -q -p emit -s live
background sh -c 'wtrace dump --follow -s live --json >followed 2>said; echo $? >code'
check 'a program writes' user_emit -n 300 -t 1 -e 3 -s 16
has() { [ "$(grep -c '"event":"big"' "$1")" -ge "$2" ]; }
check 'its events show while the session runs' wait_until 30 has followed 300
check 'another one' user_emit -n 200 -t 1 -e 3 -s 16
check 'so do its' wait_until 30 has followed 500
check 'stop' wtrace stop -q -s live -o live.etl
check 'the follower ends with the session' wait_until 30 test -s code
is 'well' "$(cat code)" 0
wtrace dump live.etl -e emit --json >wanted
grep '"event":"big"' followed >got
check 'it has printed each event once, as dump does' cmp wanted got

# A file that somebody writes piece by piece.
: >grown.etl
cat >grow.py <<'P'
import os, sys, time
data = open("run.etl", "rb").read()
out = open("grown.etl", "r+b", buffering=0)
out.write(data[:200])
print("begun", flush=True)
for i in range(200, len(data), 4999):
    sys.stdin.readline()  # one piece for each line that is asked for
    out.write(data[i:i + 4999])
P
mkfifo pieces
background sh -c 'exec python3 grow.py <>pieces'
check 'a file is begun' wait_until 20 grep -q begun background.out
(wtrace dump --follow grown.etl >followed 2>said; echo $? >code2) &
pieces=$(($(stat -c %s run.etl) / 4999 + 1))
yes '' | head -n $((pieces * 3 / 4)) >pieces
check 'most of it is there, and its events are printed' wait_until 30 test -s followed
yes '' | head -n $((pieces + 2)) >pieces
check 'the follower ends when the log is complete' wait_until 60 test -s code2
is 'well' "$(cat code2)" 0
# Names stand at the end of a log: until then the follower asks the files of this machine, which may be gone by now.
nameless() { sed 's,\( pmu-profile/sample .* period=[0-9]*\).*,\1,' | sort; }
wtrace dump run.etl | nameless >wanted
nameless <followed >got
check 'and has printed each event once' cmp wanted got

# Interrupted, and without a session.
check 'start' wtrace start -q -p emit -s live
wtrace dump --follow -s live >followed 2>said &
follower=$!
check 'it follows' wait_until 30 grep -q 'key=session value=live' followed
kill -INT $follower
code=0
wait $follower || code=$?
is 'an interrupt ends it well' "$code" 0
check 'the session goes on' wtrace stop -q -s live -o goes-on.etl
# What is damaged is told however the follower ends; that a log still grows is no fault.
followed_strictly() {
	: >followed
	wtrace dump --follow --strict "$1" >followed 2>said &
	follower=$!
	wait_until 30 test -s followed
	kill -INT $follower
	code=0
	wait $follower || code=$?
}
head -c $(($(stat -c %s live.etl) * 4 / 5)) live.etl >part.etl
followed_strictly part.etl
is 'a part of a sound log: nothing is missing' "$code" 0
python3 - <<'P'
data = bytearray(open("part.etl", "rb").read())
middle = len(data) // 2
for i in range(64):
    data[middle + i] ^= 0x5a
open("spoilt.etl", "wb").write(data)
P
followed_strictly spoilt.etl
is 'a damaged one, also when the follower is interrupted' "$code" 3
check_exit 'no such session' 1 wtrace dump --follow -s none
check_err 'is named' "no session 'none' is running"
done_testing
