#!/bin/sh
# SPDX-License-Identifier: MIT
# The reader library on what still grows: a session while it runs, to its end however that comes, and a growing file.
# Runs alone.
. "$(dirname "$0")/lib.sh"

READ="$WT_ROOT/build/tests/programs/reader_json"
check 'the program that prints through the library' make -s -C "$WT_ROOT" build/tests/programs/reader_json

# equal NAME LEAST: what was read live is what the finished log has. Names may come from this machine before the
# session's end and from the log behind it; events of different writes may be milliseconds apart.
cat >equal.py <<'PROGRAM'
import json, sys
def events(path):
    ret = []
    for line in open(path, encoding="utf-8", errors="replace"):
        event = json.loads(line)
        # Names come at the end of a session, and with them the functions that were inlined.
        event["stack"] = sum(not f.get("function", "").endswith(" (inlined)") for f in event.get("stack", []))
        ret.append(json.dumps(event, sort_keys=True))
    return sorted(ret)
live, log, least = events(sys.argv[1]), events(sys.argv[2]), int(sys.argv[3])
only = [sorted(set(a) - set(b))[:2] for a, b in ((live, log), (log, live))]
print(len(live), len(log), *only, sep="\n")
sys.exit(live != log or len(log) < least)
PROGRAM
worker() { wtrace status -s "$1" --json | sed -n 's/.*"worker": *\([0-9]*\).*/\1/p;' | head -1; }
keeper() { wtrace status -s "$1" --json | sed -n 's/.*"keeper": *\([0-9]*\).*/\1/p;' | head -1; }
marked() { grep -q "\"text\":\"$2\"" "$1"; }
# A mark reaches the reader while the session runs.
mark_seen() {
	wtrace mark "$2"
	check "$1" wait_until 20 marked live.json "$2"
}

follow() { background sh -c "exec '$READ' $* >live.json"; reader=$bg; }
gone() { ! kill -0 "$1" 2>/dev/null; }

check_exit 'a session that does not run' 1 "$READ" -s never
check_err 'is named' "no session 'never' is running"

s=$(session live)
check 'a session' wtrace start -s "$s" -p proc_thread,linux:sched:sched_switch --stackwalk
follow -s "$s"
mark_seen 'a mark arrives while the session runs' first
ls -R /usr/include >/dev/null
mark_seen 'another one' second
kill -KILL "$(worker "$s")"
mark_seen 'and one after the worker was killed and its keeper took over' third
check 'the session is stopped' wtrace stop -s "$s" -o stopped.etl
check 'and the reader ends' wait_until 20 gone "$reader"
wait "$reader"
is 'as one that read everything' $? 0
wtrace dump --json stopped.etl >log.json
check 'every event once, as in the finished log' python3 equal.py live.json log.json 100

s=$(session dies)
check 'a session' wtrace start -s "$s" -p linux:sched:sched_switch
follow -s "$s"
mark_seen 'a mark' last
w=$(worker "$s") k=$(keeper "$s")
kill -STOP "$k" && kill -KILL "$w" "$k"
check 'both processes of a session are killed: the reader ends' wait_until 20 gone "$reader"
wait "$reader"
is 'as one that read everything' $? 0
is 'up to the last whole block of the file' \
	"$("$READ" "$WTRACE_SPOOL/$s.part" | wc -l)" "$(wc -l <live.json)"

# A file that grows, write by write; events come behind tables and names.
size=$(stat -c %s stopped.etl)
most=$((size * 3 / 4)) more=$((size / 8))
head -c $most stopped.etl >grows.etl
follow -g grows.etl
tail -c +$((most + 1)) stopped.etl | head -c $more >>grows.etl
tail -c +$((most + more + 1)) stopped.etl >>grows.etl
check 'a file becomes complete: the reader ends' wait_until 20 gone "$reader"
check 'every event once' python3 equal.py live.json log.json 100
done_testing
