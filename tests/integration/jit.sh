#!/bin/sh
# SPDX-License-Identifier: MIT
# Generated code: names by perf maps and jitdumps for the time of each sample, stacks through code without frame
# pointers, processes with other mounts and pids, foreign and old files. A program that makes code as runtimes do says
# what is true. Node.js and Java run too, and Python from 3.12 on where it is installed.
. "$(dirname "$0")/lib.sh"
python=$(command -v python3)
generate=$WT_ROOT/build/tests/programs/generate
names=$WT_ROOT/tests/integration/generated_names.py
cp "$generate" generate
pids=
forget_maps() {
	for pid in $pids; do rm -f "/tmp/perf-$pid.map" "/tmp/jit-$pid.dump"; done
	cleanup
}
trap forget_maps EXIT

# dump_of LOG: its samples as JSON.
dump_of() {
	wtrace dump "$1.etl" --event sample --json --where "comm == 'generate'" >"$1.json"
}

# So that no stack has to wait for a table longer than rings can.
check 'the tables of the program' wtrace record -q --stackwalk -o first.etl -- ./generate late 500
for mode in map again swap dump late unwind silent; do
	check "record a program with generated code, $mode" wtrace record --stackwalk -F 997 -o "$mode.etl" -- ./generate "$mode" 2000
	pids="$pids $(tail -n 1 out)"
	dump_of "$mode"
	check "its names are true, $mode" "$python" "$names" "$mode.json" "$mode"
	cat out
done
rm -f jit-*.dump
for pid in $pids; do rm -f "/tmp/perf-$pid.map"; done
dump_of map
check 'the names are in the log' "$python" "$names" map.json map

# A process that sees another /tmp and has another number there, gone before the session ends.
check 'the tables of the program there' wtrace record -q --stackwalk -o first.etl --force -- \
	unshare -m -p -f sh -c 'mount -t tmpfs none /tmp && exec ./generate map 500'
check 'record it with mounts and pids of its own' wtrace record --stackwalk -F 997 -o inside.etl -- \
	unshare -m -p -f sh -c 'mount -t tmpfs none /tmp && exec ./generate map 3000'
dump_of inside
check 'its names are true' "$python" "$names" inside.json map
cat out

# Files that are not the process's own word.
cat >then.sh <<'S'
./generate map 1500 >pid
$1 "/tmp/perf-$(cat pid).map"
S
foreign() {
	check "record with a map that $1" wtrace record --stackwalk -F 997 -o "$2.etl" -- sh then.sh "$3"
	cp err said
	pids="$pids $(cat pid)"
	dump_of "$2"
	check 'nothing is believed of it' "$python" "$names" "$2.json" none
	rm -f "/tmp/perf-$(cat pid).map"
}
# Their names would be there.
check 'record with a map that nobody touches' wtrace record --stackwalk -F 997 -o own.etl -- sh then.sh true
dump_of own
check 'its names are true' "$python" "$names" own.json brief
rm -f "/tmp/perf-$(cat pid).map"
foreign 'belongs to another user' foreign "chown $nobody"
foreign 'is older than the process' old 'touch -d 2001-01-01'
foreign 'is a link' link 'ln -sf /proc/version'
foreign 'is too large' large 'truncate -s 1G'
check 'that is said' grep -q 'perf maps are larger than' said

# Runtimes.
runtime() {
	log=$1 comm=$2 pattern=$3
	tried="$tried $log"
	shift 3
	# The first makes the runtime's tables, which takes a busy machine longer than stacks wait.
	check "make the tables of $log" wtrace record --stackwalk -F 997 -o first.etl --force -- "$@"
	check "record $log" wtrace record --stackwalk -F 997 -o "$log.etl" -- "$@"
	wtrace dump "$log.etl" --event sample --json --where "comm == '$comm'" >"$log.json"
	check "$log: functions by name, stacks to the root" "$python" - "$log.json" "$pattern" <<'P'
import json, re, sys
n = named = roots = 0
for row in open(sys.argv[1]):
    names = [f.get("function", "") for f in json.loads(row).get("stack", [])]
    if not names:
        continue
    n += 1
    named += any(re.search(sys.argv[2], name) for name in names)
    roots += names[-1] in ("_start", "clone3", "__clone3", "clone", "__clone")
print(f"# {n} stacks, {named} through the function, {roots} to the root")
assert n >= 50 and named >= 0.5 * n and roots >= 0.95 * n
P
	cat out
	pids="$pids $(sed -n 's/.*"pid":\([0-9]*\),"thread.*/\1/p' "$log.json" | sort -u | tr '\n' ' ')"
}
cat >work.js <<'J'
function leaf(n) { let s = 0; for (let i = 0; i < n; i++) s = (s * 31 + i) % 1000003; return s; }
function middle(n) { return leaf(n) + leaf(n >> 1); }
const end = Date.now() + 2000;
let r = 0;
while (Date.now() < end) r += middle(20000);
J
cat >Work.java <<'J'
public class Work {
	static int leaf(int n) { int s = 0; for (int i = 0; i < n; i++) s = (s * 31 + i) % 1000003; return s; }
	static int middle(int n) { return leaf(n) + leaf(n >> 1); }
	public static void main(String[] a) throws Exception {
		long end = System.currentTimeMillis() + 3000;
		int r = 0;
		while (System.currentTimeMillis() < end) r += middle(20000);
		new ProcessBuilder("jcmd", "" + ProcessHandle.current().pid(), "Compiler.perfmap").start().waitFor();
	}
}
J
cat >work.py <<'J'
import time
def leaf(n):
    s = 0
    for i in range(n): s += i * i
    return s
def middle(n): return leaf(n)
end = time.time() + 2
while time.time() < end: middle(20000)
J
# Debian has the first two, and tests/deps.sh installs them: they are demanded. Debian 12 has no Python that writes perf maps:
# it is tried where somebody has installed one, by pyenv too. The program `generate` has its trampolines, on every machine.
tried= untried=
check 'Node.js is installed' command -v node
check 'a JDK is installed' javac Work.java
check 'with jcmd' command -v jcmd
runtime node node 'work\.js' node --perf-basic-prof work.js
runtime java java 'Work\.leaf' java -XX:+PreserveFramePointer -XX:CompileCommand=quiet -XX:CompileCommand=dontinline,Work::leaf Work
# A map may be found changed when the recorder looks again: its names are then not proved.
for newer in python3.12 python3.13; do
	program=
	for candidate in "$(command -v "$newer")" "${PYENV_ROOT:-$HOME/.pyenv}/versions/${newer#python}".*/bin/"$newer"; do
		[ -z "$program" ] && [ -x "$candidate" ] && "$candidate" -X perf -c '' 2>/dev/null && program=$candidate
	done
	if [ "$program" ]; then
		program=$("$program" -c 'import sys; print(sys.executable)')
		runtime "$newer" "$(basename "$program")" '^(may be )?py::leaf:.*work\.py' "$program" -X perf work.py
		# Python 3.12 does not know the other option, and does not say so.
		[ "$newer" = python3.12 ] ||
			runtime "$newer-jitdump" "$(basename "$program")" '^py::leaf:.*work\.py' "$program" -X perf_jit work.py
	else
		untried="$untried $newer"
	fi
done
echo "# runtimes tried:$tried; not installed, not tried:${untried:- none}"
done_testing
