#!/bin/sh
# SPDX-License-Identifier: MIT
# Names made to drive terminals and to forge lines, columns, frames and counts: of programs, threads and files, and in
# strings of events. Every output is read by a strict parser.
# Runs beside others.
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/tests/integration/lib.sh"

cat >hostile.py <<'P'
import ctypes, os, sys, time
names = [b"\033[31m;evil 7", b"a 1/1 [000] 9", b"#x\n\"y\",1\r", b"\x9b2J\xff\xc2\x9bz", "\u202e\u2028\u2066\ufeff".encode(),
         b" lead  (1)/2 ", b"x=1 y=2 [rec]", b"\\x1b\\", b"; 5\t\x7f\x01"]
libc = ctypes.CDLL(None)
here = os.getcwdb()
for name in names:
    path = here + b"/" + name.replace(b"/", b"_")
    with open("/bin/true", "rb") as f, open(path, "wb") as g:
        g.write(f.read())
    os.chmod(path, 0o755)
    pid = os.fork()
    if not pid:
        libc.prctl(15, name, 0, 0, 0)
        end = time.process_time() + 0.1
        while time.process_time() < end:
            pass
        os.execv(path, [name, b"--x=" + name])
    os.waitpid(pid, 0)
P
mkdir names
mark=$(printf 'a  b=1 [x]\n\033[1m,"q"; 5\302\233\342\200\256\377')
# Of these programs alone: what else a machine does has names of no kind, and every output gets longer by it.
s=$(session foreign)
mkfifo go
background sh -c 'read -r _ <go; cd names && exec /usr/bin/python3 ../hostile.py'
check 'start' wtrace start -s "$s" -p pmu-profile,proc_thread,loader --stackwalk -F 997 --pid "$bg"
echo >go
check 'programs with such names' wait "$bg"
check 'a mark' wtrace mark "$mark"
check 'stop' wtrace stop -s "$s" -o run.etl
for args in 'dump' 'dump --json' 'dump --csv' 'dump --stack' 'dump --csv --stack' 'info' 'info --json' 'view --group-by process,module' \
	'view --group-by comm --json' 'view --group-by comm,function --csv' 'view --group-by thread,stack' 'view --group-by thread,stack --csv' \
	'view --group-by comm,stack --folded --event cpu-clock' 'verify' 'export --format perf-script' 'export --format folded -e pmu-profile'; do
	command=${args%% *} rest=${args#"$command"}
	# shellcheck disable=SC2086
	wtrace "$command" run.etl $rest >"$(echo "$args" | tr ' ,' '__').out" 2>said.err || [ "$command" = verify ] || not_ok "$args" "$(tail -n 1 said.err)"
	cp said.err "$(echo "$args" | tr ' ,' '__').err"
done
wtrace view "$(printf 'no\033[1m\302\233\n\342\200\256such')" >odd.out 2>odd.err
wtrace view run.etl --where "$(printf 'comm = "\033[1m\302\233\342\200\256\377"')" >where.out 2>where.err
cat >strict.py <<'P'
import csv, glob, json, re
FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]")
def raw(name):
    with open(name, "rb") as f:
        return f.read()
def plain(name):
    text = raw(name).decode("utf-8")
    found = FORBIDDEN.search(text) or re.search("\t" if "csv" in name else "\r", text)
    assert not found, (name, text[max(found.start() - 40, 0):found.end()])
    return text
texts = {name: plain(name) for name in glob.glob("*.out") + glob.glob("*.err")}
assert "\\x1b[31m;evil 7" in texts["dump.out"] and "\\u{202e}" in texts["dump.out"]
events = [json.loads(line) for line in texts["dump_--json.out"].splitlines()]
json.loads(texts["info_--json.out"]), json.loads(texts["view_--group-by_comm_--json.out"])
assert len(texts["dump.out"].splitlines()) == len(events)
line = re.compile(r"^-?\d+\.\d{9} *\[ ?(\d+|-) ?\] (.*?)\((\d+|-)\)/(\d+|-) ([\w.:-]+)/([\w.-]+)( |$)")
for text, event in zip(texts["dump.out"].splitlines(), events):
    found = line.match(text)
    assert found, text
    tid = "-" if event["tid"] is None else str(event["tid"])
    assert found.group(5) == event["provider"] and found.group(4) == tid, text
for name in ("dump_--csv.out", "dump_--csv_--stack.out"):
    rows = list(csv.reader(open(name, newline=""), strict=True))
    assert len(rows) == len(events) + 1 and len({len(row) for row in rows}) == 1, name
    assert raw(name).count(b"\r\n") == len(rows) == raw(name).count(b"\n"), name
stack = rows[0].index("stack")
for row, event in zip(rows[1:], events):
    assert len([f for f in row[stack].split(";") if f]) == len(event.get("stack", [])), row
for name in glob.glob("view*csv.out"):
    rows = list(csv.reader(open(name, newline=""), strict=True))
    assert len({len(row) for row in rows}) == 1 and len(rows) > 5, name
for name in ("view_--group-by_comm_stack_--folded_--event_cpu-clock.out", "export_--format_folded_-e_pmu-profile.out"):
    for text in texts[name].splitlines():
        found = re.match(r"^(.*) (\d+)$", text)
        assert found and not re.search(r" [\d./]+$", found.group(1)), text
head = re.compile(r"^[^\s#].*? -?\d+/-?\d+ (\[\d{3}\] )? *\d+\.\d{6}: ")
frame = re.compile(r"^\t *[0-9a-f]+ .* \([^\n]*\)$")
n, tids = 0, {-1 if e["tid"] is None else e["tid"] for e in events}
for text in texts["export_--format_perf-script.out"].splitlines():
    assert not text or frame.match(text) or head.match(text), text
    n += bool(head.match(text))
    short = re.match(r"^(\S.*?)\s+(-?\d+)/(-?\d+)\s", text)
    assert not head.match(text) or (short and int(short.group(3)) in tids), text
assert n == sum(e["provider"] not in ("proc_thread", "loader", "wtrace") for e in events), n
print("ok", len(texts), "outputs,", len(events), "events")
P
check 'every output is what its format says' /usr/bin/python3 strict.py
check_out 'and there are many' 'ok [0-9]+ outputs, [0-9]{3,} events'
done_testing
