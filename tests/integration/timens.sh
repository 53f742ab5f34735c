#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs in time namespaces, whose clocks and start times are ahead of the host's or behind: their events stand between
# those of programs outside that ran before and after them, with the lane (which reads the clock) and without, and with the
# names they have. A session within such a namespace is right as well.
. "$(dirname "$0")/lib.sh"

mkdir sdk programs && cp "$WT_ROOT/build/sdk/libwtrace.so.0" sdk/ && cp "$WT_ROOT/build/tests/programs/sdk_app" programs/
export LD_LIBRARY_PATH="$TMP/sdk"
APP="$TMP/programs/sdk_app"

if ! unshare --time --fork --monotonic 1 true 2>err; then
	skip 'time namespaces' "$(cat err)"
	done_testing
fi

# The clocks may not fall below zero.
up=$(cut -d. -f1 /proc/uptime) && back=$((up / 2))
inside() {
	offset=$1
	shift
	unshare --time --fork --kill-child --monotonic "$offset" --boottime "$offset" "$@"
}

# Each writes its own events, one after the other; the name of the middle one is another.
ln programs/sdk_app programs/moved_app
cat >run.sh <<S
"$APP" early
unshare --time --fork --monotonic \$1 --boottime \$1 "$TMP/programs/moved_app" early
"$APP" early
S
cat >order.py <<'P'
import json, sys
ticks = [(e["time"], e["process"], e["pid"]) for e in map(json.loads, sys.stdin)
         if e["provider"] == "sdk-app" and e["event"] == "tick"]
print(ticks)
assert [t[1] for t in sorted(ticks)] == ["sdk_app", "moved_app", "sdk_app"], ticks
assert len({t[2] for t in ticks}) == 3, ticks
assert max(ticks)[0] - min(ticks)[0] < 60e9, ticks
P
for offset in 1000000 "-$back"; do
	for tunables in glibc.pthread.rseq=1 glibc.pthread.rseq=0; do
		check "$offset s, $tunables: record" env GLIBC_TUNABLES=$tunables wtrace record -p sdk-app,proc_thread \
			-o run.etl --force -- sh run.sh "$offset"
		wtrace dump run.etl --json >run.json
		check 'in order, by their names' sh -c 'python3 order.py <run.json'
	done
	# It is entered as living since a time on its own clock; others that come look who has gone.
	background inside "$offset" programs/moved_app wait
	wait_until 60 grep -q waiting background.out || not_ok 'it waits' "$(cat background.out)"
	"$APP" early >/dev/null
	check "$offset s: a session after the program" wtrace start -p sdk-app,proc_thread
	wait_until 60 grep -q wanted background.out && ok 'finds it' || not_ok 'finds it' "$(cat background.out)"
	check 'stop' wtrace stop -o late.etl --force
	is 'and has its event, by its name' "$(wtrace dump late.etl | grep -c 'moved_app([0-9]*)/[0-9]* sdk-app/tick')" 1
	check "$offset s: a session within" inside "$offset" wtrace record -p sdk-app,proc_thread,pmu-profile \
		-o within.etl --force -- sh run.sh 0
	wtrace dump within.etl --json >run.json
	check 'its events are in order as well' sh -c 'python3 order.py <run.json'
	check 'and its samples among them' python3 - <<'P'
import json
events = [json.loads(line) for line in open("run.json")]
last = max(e["time"] for e in events if e["event"] == "tick")
samples = [e["time"] for e in events if e["event"] == "sample"]
starts = [e["fields"]["start_time"] for e in events if e["event"] == "process_rundown" and e["fields"]["start_time"] is not None]
assert all(-1e9 < t < last + 60e9 for t in samples), (samples[:3], last)
# In session time, those of this machine's processes before it lie behind.
assert starts and all(s < last for s in starts), (max(starts), last)
P
done
done_testing
