#!/bin/sh
# SPDX-License-Identifier: MIT
# SIGKILL of the worker, of the keeper, and of both: with one left alive nothing is lost, with none the file so far reads.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

field() { # FIELD of a session's status
	wtrace status --session "$1" --json | python3 -c 'import json,sys; print(json.load(sys.stdin)[sys.argv[1]])' "$2"
}
is_worker() { [ "$(field "$1" worker 2>/dev/null)" = "$2" ]; }
new_keeper() { k=$(field "$1" keeper 2>/dev/null) && [ -n "$k" ] && [ "$k" != "$2" ] && [ "$k" != 0 ] && kill -0 "$k"; }
spin() { i=0; while [ $i -lt "$1" ]; do /bin/true; i=$((i + 1)); done; }
# Every /bin/true below must be in the file, as a child of this shell that is forked and execs, once.
execs() {
	wtrace dump "$1" --json | python3 -c '
import json, sys
children, n = set(), 0
for line in sys.stdin:
    e = json.loads(line)
    if e["event"] == "process_start" and e["fields"]["parent_pid"] == int(sys.argv[1]):
        children.add(e["fields"]["pid"])
    if e["event"] == "process_exec" and e["fields"]["name"] == "true" and e["fields"]["pid"] in children:
        n += 1
print(n)' $$
}
# Both are stopped before either is killed, so that neither sees the other go.
kill_both() {
	kill -STOP "$keeper" "$worker"
	kill -KILL "$keeper" "$worker"
}

s=worker
check 'start' wtrace start -p proc_thread,linux:sched:sched_process_exec --session "$s"
keeper=$(field "$s" keeper) worker=$(field "$s" worker)
spin 100
kill -KILL "$worker"
spin 100
check 'the keeper takes over' wait_until 30 is_worker "$s" "$keeper"
check 'and has a new keeper' wait_until 30 new_keeper "$s" "$keeper"
spin 100
check 'stop' wtrace stop --session "$s" -o worker.etl
check_out 'it says so' 'killed 1 times? and replaced'
is 'no event is lost and none is there twice' "$(execs worker.etl)" 300

s=keeper
check 'start' wtrace start -p proc_thread --session "$s"
keeper=$(field "$s" keeper)
spin 50
kill -KILL "$keeper"
check 'the worker starts a new keeper' wait_until 30 new_keeper "$s" "$keeper"
spin 50
worker=$(field "$s" worker)
kill -KILL "$worker"
check 'which takes over in its turn' wait_until 30 wtrace status --session "$s"
spin 50
check 'stop' wtrace stop --session "$s" -o keeper.etl
is 'no event is lost' "$(execs keeper.etl)" 150

s=both
check 'start' wtrace start -p proc_thread --session "$s"
spin 100
keeper=$(field "$s" keeper) worker=$(field "$s" worker)
kill_both
gone() { ! kill -0 "$1" 2>/dev/null && ! kill -0 "$2" 2>/dev/null; }
wait_until 30 gone "$keeper" "$worker"
check 'the file so far reads' wtrace dump "$WTRACE_SPOOL/$s.part"
is 'what was flushed is there' "$(execs "$WTRACE_SPOOL/$s.part")" 100
check_exit 'status says that it died' 1 wtrace status --session "$s"
check_err 'and how to get the log' 'died.*wtrace stop'
check 'stop completes the log' wtrace stop --session "$s" -o both.etl
check_err 'and says what happened' 'died'
is 'with all events' "$(execs both.etl)" 100
check 'the next start is clean' wtrace start -p proc_thread --session "$s"
check_out 'no word of leftovers' 'started'
keeper=$(field "$s" keeper) worker=$(field "$s" worker)
kill_both
wait_until 30 gone "$keeper" "$worker"
check 'start over a dead session' wtrace start -p proc_thread --session "$s"
check_err 'moves its log aside and names it' "died.*kept in .*$s-.*etl"
kept=$(sed -n 's/.*kept in \(.*\.etl\).*/\1/p' "$TMP/err")
check 'which reads' wtrace dump "$kept"
check 'stop' wtrace stop --session "$s" -o last.etl

# What nobody recorded any more is told, and the log's times are those of its events.
python3 - "$TMP/both.etl" <<'P' >told
import json, subprocess, sys
events = [json.loads(line) for line in subprocess.run(["wtrace", "dump", sys.argv[1], "--json"], capture_output=True, text=True).stdout.splitlines()]
gaps = [e["fields"] for e in events if e["event"] == "lost" and e["fields"]["cause_text"] == "recorder died"]
print(sorted({g["provider"] for g in gaps if not g["exact"] and g["to"] >= g["from"] > 0}), min(e["time"] for e in events if e["event"] != "info") >= 0)
print(max(e["time"] for e in events) - min(e["time"] for e in events) < 600e9)
P
is 'what came after the death is told as lost' "$(cat told)" "['proc_thread'] True
True"
check_exit 'and --strict knows' 3 wtrace view --strict both.etl
head -c "$(($(stat -c %s both.etl) / 2))" both.etl >half.etl
check 'a log that was cut' wtrace recover half.etl -o mended.etl
check_out 'says that more came' '; later events are missing and were not counted'
check_exit 'and so does the mended log' 3 wtrace view --strict mended.etl

# A session that died before its first byte (its starter was killed): nothing is there to complete, and nothing stays.
s=empty
: >"$WTRACE_SPOOL/$s.part" && : >"$WTRACE_RUNTIME/$s.lock"
check_exit 'stop of a session that wrote nothing' 1 wtrace stop --session "$s" -o none.etl
check_err 'says so' "session '$s' had died before it wrote anything: there is no log"
is 'leaves nothing' "$(find "$WTRACE_SPOOL" "$WTRACE_RUNTIME" . -name "$s*" -o -name none.etl)" ''
: >"$WTRACE_SPOOL/$s.part"
check 'recover' wtrace recover
check_err 'says so too' "session '$s' died before it wrote anything"
: >"$WTRACE_SPOOL/$s.part"
check 'start over it' wtrace start -p proc_thread --session "$s"
check_err 'says it once more' "an earlier session '$s' died before it had written anything"
check 'stop' wtrace stop --session "$s" -o one.etl
is 'no empty log is kept' "$(find "$WTRACE_SPOOL" -empty)" ''

# The worker dies after its keeper was replaced, while a command waits for it: the command asks the next one.
s=waiting
check 'start' wtrace start -p proc_thread --session "$s"
keeper=$(field "$s" keeper) worker=$(field "$s" worker)
kill -KILL "$keeper"
check 'a new keeper' wait_until 30 new_keeper "$s" "$keeper"
spin 20
kill -STOP "$worker"
background wtrace stop --session "$s" -o waiting.etl
kill -KILL "$worker"
check 'stop gets its answer all the same' wait_until 20 test -s waiting.etl
is 'no event is lost' "$(execs waiting.etl)" 20

# A worker that is stopped: said so, within bounds, and nothing is ended.
s=asleep
check 'start' wtrace start -p proc_thread --session "$s"
worker=$(field "$s" worker)
kill -STOP "$worker"
check_exit 'stop of a session that does not answer' 1 wtrace stop --session "$s" -o asleep.etl
check_err 'says why' 'does not answer within 5 seconds'
for other in aaa zzz; do check 'sessions beside it' wtrace start -p proc_thread --session $other; done
check_exit 'a mark' 1 wtrace mark 'in all that can'
check_err 'names the one it is not in' "no mark in session '$s': .*does not answer"
check_err 'and counts' '1 of 3 sessions have no mark'
kill -CONT "$worker"
check 'then it answers' wtrace stop --session "$s" -o asleep.etl
for other in aaa zzz; do
	check 'stop' wtrace stop --session $other -o $other.etl
	is 'the others have the mark' "$(wtrace dump $other.etl --event mark | grep -c 'in all that can')" 1
done

s=term
check 'start' wtrace start -p proc_thread --session "$s"
worker=$(field "$s" worker)
kill -TERM "$worker"
dead() { ! kill -0 "$1" 2>/dev/null; }
check 'SIGTERM ends a session' wait_until 30 dead "$worker"
set -- "$WTRACE_SPOOL/$s"-*.etl
check 'its log is whole' wtrace view "$1" --group-by event
check 'and complete' sh -c "! wtrace view '$1' --group-by event | grep -qi 'not complete'"
done_testing
