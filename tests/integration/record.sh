#!/bin/sh
# SPDX-License-Identifier: MIT
# record: exit codes and signals pass through, Ctrl-C and SIGTERM leave a complete file, odd names survive.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

check_exit 'the exit code passes on' 7 wtrace record -p proc_thread -o a.etl -- sh -c 'exit 7'
check 'the file reads' wtrace view a.etl --group-by event
check_exit 'a signal becomes 128 + N' 139 wtrace record -p proc_thread -o b.etl -- sh -c 'kill -SEGV $$'
check 'the file reads' wtrace view b.etl --group-by event
check_exit 'a command that is not there' 127 wtrace record -p proc_thread -o c.etl -- no-such-command-here
check_err 'is named' 'cannot run no-such-command-here: No such file'
check_exit 'no command' 2 wtrace record -o d.etl
check_exit 'no output' 2 wtrace record -- true
check_exit 'unknown option' 2 wtrace record --stakwalk -o d.etl -- true
check_err 'names the nearest' "did you mean '--?stackwalk'"

interrupt() { # SIGNAL FILE: a foreground process group of its own, interrupted as a terminal would
	python3 - "$1" "$2" <<'P'
import os, signal, subprocess, sys, time
sig = getattr(signal, sys.argv[1])
# The child tells by the pipe that it runs; no guessing.
r, w = os.pipe()
p = subprocess.Popen(["wtrace", "record", "-p", "proc_thread", "-o", sys.argv[2], "--", "sh", "-c",
                      "trap 'exit 3' INT TERM; echo up >&%d; while :; do sleep 0.05; done" % w],
                     pass_fds=[w], start_new_session=True, stderr=subprocess.DEVNULL,
                     preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))  # ignored below nohup
os.close(w)
assert os.read(r, 3) == b"up\n"
if sig == signal.SIGINT:
    os.killpg(p.pid, sig)
else:
    p.send_signal(sig)
sys.exit(p.wait())
P
}
check_exit 'Ctrl-C ends the command, whose code passes on' 3 interrupt SIGINT int.etl
check 'the file is complete' sh -c "wtrace view int.etl --group-by event >v && ! grep -qi 'not complete' v"
check_exit 'SIGTERM is passed on' 3 interrupt SIGTERM term.etl
check 'the file is complete' sh -c "wtrace view term.etl --group-by event >v && ! grep -qi 'not complete' v"

# The whole life of the command is there: its exec is the first thing, its end the last.
check 'record a shell' wtrace record -p proc_thread,loader -o life.etl -- sh -c 'echo $$ >pid; /bin/true; exit 0'
wtrace dump life.etl --json >life.json
check 'from its exec to its end' python3 - <<'P'
import json
events = [json.loads(l) for l in open("life.json")]
pid = int(open("pid").read())
execs = [e for e in events if e["event"] == "process_exec" and e["fields"]["pid"] == pid]
assert [e["fields"]["name"] for e in execs] == ["sh"], execs
stops = [e for e in events if e["event"] == "process_stop" and e["fields"]["pid"] == pid]
assert len(stops) == 1 and stops[0]["time"] > execs[0]["time"], stops
loads = [e for e in events if e["event"] == "image_load" and e["fields"]["pid"] == pid]
assert any("libc" in e["fields"]["path"] for e in loads), loads
kids = [e for e in events if e["event"] == "process_start" and e["fields"]["parent_pid"] == pid]
assert len(kids) == 1, kids
P

# Names with spaces, commas, UTF-8, quotes and newlines.
odd=$(printf 'a b,"c"\ndé')
mkdir "$odd"
cp /bin/sleep "$odd/$odd"
check 'a program with an odd name' wtrace record -p pmu-profile,loader,proc_thread -o odd.etl -- "$odd/$odd" 0
wtrace dump odd.etl --json >odd.json
check 'its path is there byte for byte' python3 - "$TMP/$odd/$odd" <<'P'
import json, sys
paths = {e["fields"].get("path") for e in map(json.loads, open("odd.json")) if e["event"] == "image_load"}
assert any(p and p.endswith(sys.argv[1].split("wt-test")[1]) for p in paths), paths
P
check 'text output stays on its lines' sh -c "wtrace dump odd.etl >odd.txt; ! LC_ALL=C grep -n '^dé' odd.txt"
check 'an output file with an odd name' wtrace record -p proc_thread -o "$odd.etl" -- true
check 'reads' wtrace view "$odd.etl" --group-by event
check 'a session of a provider that nobody has yet' sh -c "wtrace record --stackwalk -p pmu-profile,none-yet -o once.etl -- true 2>once.err; test -s once.etl"
is 'says each thing once' "$(sed 's/^wtrace: //; s/^ *//' once.err | sort | uniq -d)" ''
check 'and nothing of empty buffers' sh -c '! grep "0 rings" once.err'
done_testing
