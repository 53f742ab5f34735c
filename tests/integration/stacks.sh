#!/bin/sh
# SPDX-License-Identifier: MIT
# Stacks without frame pointers: programs of the distribution sampled at 997 Hz, what the kernel does for them included.
# Nearly all stacks reach the root of their thread, those that say so do, and the calls are those perf finds.
# Runs alone.
tree=$(cd "$(dirname "$0")/../.." && pwd)
. "$tree/tests/integration/lib.sh"

cat >work.py <<'P'
import json, os, time
end = time.process_time() + 1
while time.process_time() < end:
    sorted(json.loads(json.dumps([{str(i): os.stat("/") and i} for i in range(500)])), key=str)
P
cat >work.pl <<'P'
use Time::HiRes; my %h;
while ((times)[0] + (times)[1] < 1) { $h{$_ % 997} .= join ",", sort map { $_ * 7 } 1 .. 50 for 1 .. 200; %h = (); open F, "<", "/etc/passwd"; close F; }
P
cat >work.sql <<'P'
create table t(a, b);
with recursive c(n) as (select 1 union all select n + 1 from c where n < 250000)
insert into t select n, printf('%d-%d', n * 7919 % 1000003, n) from c;
create index i on t(b);
select count(*), sum(length(b)) from t where b like '%99%' order by b;
P
cat >work.bash <<'P'
work() { [ "$1" = 0 ] || work $(($1 - 1)); }
for i in {1..400}; do work 25; x=$(echo "$i"); done
P
# Deeper than what is copied of it, in frames that need no frame pointer.
cat >deep.c <<'P'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
static volatile unsigned sink;
__attribute__((noinline)) static unsigned at_the_bottom(unsigned n)
{
	for (unsigned i = 0; i < 20000; i++)
		n = n * 1664525 + 1013904223;
	return n;
}
__attribute__((noinline)) static unsigned go_down(int depth, unsigned n)
{
	volatile char room[200];

	room[0] = (char)n;
	n = depth ? go_down(depth - 1, n) : at_the_bottom(n);
	return n + (unsigned)room[0];
}
int main(int argc, char **argv)
{
	while (clock() < CLOCKS_PER_SEC)
		sink += go_down(argc > 1 ? atoi(argv[1]) : 100, sink);
	return 0;
}
P
gcc -O2 -fomit-frame-pointer -o deep deep.c
g++ -O2 -o threads "$tree/tests/stackwalk/threads.cc" -pthread
g++ -O2 -o server "$tree/tests/stackwalk/server.cc" -pthread
cat >programs.sh <<P
echo \$\$ >root
/usr/bin/python3.11 work.py
perl work.pl
sqlite3 :memory: <work.sql
bash work.bash
for file in recorder identity interner; do gcc -O2 -I"$tree" -D_GNU_SOURCE -S -o /dev/null "$tree/consumers/record/\$file.c"; done
g++ -O2 -S -o /dev/null "$tree/tests/stackwalk/corpus.cc"
(ulimit -t 1; exec ./threads)
./server 1000
true
P

# stacks.py LOG PID COMM...: how the stacks of these programs end, those of PID and what it started alone.
cat >stacks.py <<'P'
import collections, json, subprocess, sys
ROOTS = {"_start", "__clone3", "clone3", "__clone", "clone", "thread_start", "_dl_start_user"}
REACHED = {"complete", "completed", "callers probable"}
log, family, programs = sys.argv[1], {int(sys.argv[2])}, sys.argv[3:]
found = {name: collections.Counter() for name in programs}
both = wrong = 0
dump = subprocess.Popen(["wtrace", "dump", log, "--json"], stdout=subprocess.PIPE, text=True)
for event in map(json.loads, dump.stdout):
    if event["event"] == "process_start" and event["fields"]["parent_pid"] in family:
        family.add(event["fields"]["pid"])
    if event["event"] != "sample" or event["process"] not in found or event["pid"] not in family:
        continue
    status, stack = event["stack_status"], event["stack"]
    # An exception on its way into another frame: from there on nobody can tell the caller (STACKWALK.md section 6).
    if status == "no unwind data" and stack and stack[-1].get("function", "").startswith("_Unwind_"):
        status = "landing"
    found[event["process"]][status] += 1
    both += bool(stack) and stack[0].get("module") == "[kernel]" and status in REACHED
    if status in REACHED:
        outer = stack[-1]
        # A stripped program's _start has no name; its module is the program.
        good = outer["function"] in ROOTS if "function" in outer else outer.get("module", "").endswith("/" + event["process"])
        if not good and wrong < 5:
            print(f"# {event['process']} ends in {outer}", file=sys.stderr)
        wrong += not good
total = sum(found.values(), collections.Counter())
# Landing ones count as what they are, stacks without a root, in all programs but the one that does little but throw.
usual = sum((counts for name, counts in found.items() if name != "threads"), collections.Counter())
usual["no unwind data"] += usual.pop("landing", 0)
for name, counts in [*found.items(), ("usual", usual), ("all", total)]:
    n = sum(counts.values()) - counts["without user frames"] - counts["landing"]
    share = 100 * sum(counts[s] for s in REACHED) / max(1, n)
    print(name, sum(counts.values()), f"{share:.3f}", wrong, both, f"{100 * counts['landing'] / max(1, n):.3f}", sep="\t")
    print(f"# {name}: " + ", ".join(f"{n} {s}" for s, n in counts.most_common()), file=sys.stderr)
sys.exit(dump.wait())
P

column() { awk -F '\t' -v name="$1" -v at="$2" '$1 == name { print $at }' shares; }

# shares LOG MINIMUM SHARE COMM...: test points for each program and for all.
shares() {
	log=$1 root=$(cat root) minimum=$2 share=$3
	shift 3
	check "$log: read" python3 stacks.py "$log" "$root" "$@"
	cp out shares
	grep '^#' err
	for name in "$@"; do
		at_least "$log: $name: samples" "$(column "$name" 2)" "$minimum"
	done
	at_least "$log: stacks to the root, %" "$(column all 3)" "$share"
	at_least "$log: and of programs that do more than throw, landing ones counted too" "$(column usual 3)" "$share"
	at_most "$log: stacks of exceptions that are landing, %" "$(column all 6)" 1.5
	is "$log: what says so begins where nothing calls" "$(column all 4)" 0
}

# The first time all tables have to be made, and the stacks wait. A slow machine may take longer for a table than they
# do, and a process whose stack was cut may be gone by then: those end early.
programs='python3.11 perl sqlite3 bash cc1 cc1plus threads server'
check 'record programs of the distribution, without any table' record_knowing cold.etl --stackwalk -- sh programs.sh
# shellcheck disable=SC2086
shares cold.etl 100 95 $programs
check 'record them with tables' record_knowing warm.etl --stackwalk -- sh programs.sh
# shellcheck disable=SC2086
shares warm.etl 100 99.5 $programs
at_least 'with the kernel on top' "$(column all 5)" 50
whole_or_told 'none is lost' warm.etl
if ! as_nobody true; then skip 'without rights' 'no way to become nobody'; else
	# Rings of half a megabyte are full before the first table is there.
	sed '/^for/d; /^g++/d' programs.sh >light.sh
	chmod 666 root
	check 'record without rights, without any table' \
		as_nobody sh -c 'ulimit -l 64; wtrace record --stackwalk -o nobody/cold.etl -- sh light.sh'
	shares nobody/cold.etl 100 97 python3.11 perl sqlite3
fi

check 'see the program once, for its tables' wtrace record --stackwalk -o once.etl -- ./deep
check 'record less than the stack' \
	record_knowing deep.etl --stackwalk --stack-bytes 8K -- sh -c 'echo $$ >root; ./deep; true'
# What is read when the program has ended nobody can complete: rings are read every 40 ms.
shares deep.etl 500 95 deep
check 'how they got there' wtrace view deep.etl --where "comm == 'deep'" --json
at_least 'by completing' "$(python3 -c 'import json; print(json.load(open("out"))["counted"]["stacks"].get("completed", 0))')" 450

# perf copies and unwinds as well; both watch the same program. Which function calls which, and how often, must agree.
cat >calls.py <<'P'
import collections, json, re, subprocess, sys
def edges(stacks):
    seen, total = collections.Counter(), 0
    for stack in stacks:
        total += 1
        for edge in set(zip(stack[1:], stack)):
            seen[edge] += 1
    return {edge: 100 * n / total for edge, n in seen.items()}, total
def plain(name):
    return re.sub(r"^(__GI_)?_*|@.*$|\.(constprop|isra|part|cold).*$", "", name)
def of_wtrace(text):
    for event in map(json.loads, text.splitlines()):
        yield [plain(f.get("function", "?")) for f in event["stack"]
               if f.get("module") != "[kernel]" and not f.get("function", "").endswith(" (inlined)")]
def of_perf(text):
    for block in text.split("\n\n"):
        frames = [line.split() for line in block.splitlines()[1:]]
        yield [plain(f[1].split("+")[0]) for f in frames if f and not f[-1].startswith("([k")]
ours, n = edges(of_wtrace(open("calls.json").read()))
theirs, m = edges(of_perf(open("calls.txt").read()))
known = lambda edge: not {"?", "[unknown]", "unknown]"} & set(edge)
worst = max(((abs(share - ours.get(edge, 0)), edge, share, ours.get(edge, 0)) for edge, share in theirs.items()
             if known(edge) and share >= 1), default=(100, "", 0, 0))
strange = [(edge, share) for edge, share in ours.items() if known(edge) and share >= 3 and edge not in theirs]
compared = sum(known(edge) and share >= 1 for edge, share in theirs.items())
print(f"# {n} samples, perf {m}; {compared} calls compared; worst {worst}; only ours {strange}", file=sys.stderr)
print(min(n, m), compared, f"{worst[0]:.2f}", len(strange), sep="\t")
P
/usr/bin/python3.11d -c '10**10**100' >/dev/null 2>&1 &
target=$!
backgrounds="$backgrounds $target"
check 'record beside perf' sh -c "wtrace start --stackwalk --pid $target -s calls &&
	perf record -q -F 997 -e cpu-clock --call-graph dwarf,32768 -p $target -o calls.perf -- sh '$tree/tests/cpu_time.sh' $target 5
	wtrace stop -s calls -o calls.etl"
kill $target
wtrace dump calls.etl --json --event pmu-profile >calls.json
perf_script calls.perf --no-inline -F ip,sym,dso,comm >calls.txt
check 'compare the calls' python3 calls.py
cat err
at_least 'samples of both' "$(cut -f 1 out)" 1000
at_least 'calls that perf finds' "$(cut -f 2 out)" 10
at_most 'their shares differ by at most, points' "$(cut -f 3 out)" 6
is 'calls only we find' "$(cut -f 4 out)" 0
done_testing
