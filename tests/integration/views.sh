#!/bin/sh
# SPDX-License-Identifier: MIT
# Views of a real run: groups that nest, filters, lines, JSON and CSV that agree with each other, doctor and list.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

cat >hot.c <<'C'
#include <stdint.h>
volatile uint64_t sink;
__attribute__((noinline)) static void inner(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		sink += i * 7; /* the hot line */
}
__attribute__((noinline)) static void middle(void) { inner(3000000); sink++; }
__attribute__((noinline)) static void outer(void) { for (int i = 0; i < 300; i++) middle(); sink++; }
int main(void) { outer(); return 0; }
C
gcc -g -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -o hot hot.c
# So that no stack has to wait for a table longer than rings can.
check 'make the tables' wtrace record --stackwalk -o first.etl -- ./hot
check 'record' record_whole hot.etl --stackwalk -F 997 -- ./hot
line=$(grep -n 'the hot line' hot.c | cut -d: -f1)
check 'by function' wtrace view hot.etl --where "comm == 'hot'" --top 1
check_out 'inner is first' 'inner:hot'
check_out 'the table has its head' '======================== sample source: .*, top 1 hot functions ========================'
check_out 'and its foot' '^ *~?[0-9.]+% +[0-9]+  top 1 in total'
for keys in process,thread module,function cpu line; do
	check "by $keys" wtrace view hot.etl --group-by $keys
done
check 'by line' wtrace view hot.etl --group-by line --where "comm == 'hot' && module == 'hot'"
check_out 'the hot line is there' "hot.c:($line|$((line - 1)))"
check 'stacks' wtrace view hot.etl --group-by function --inclusive --where "comm == 'hot'" --json
cp out inclusive.json
check 'outer is in nearly all of them' python3 - <<'P'
import json, sys
data = json.load(open("inclusive.json"))
def rows(node):
    for r in node.get("rows", []) + node.get("children", []):
        yield r
        yield from rows(r)
found = {}
for table in data["tables"]:
    for r in rows(table):
        name = str(r.get("key", r.get("name", r.get("keys", ""))))
        found[name] = r
outer = [r for n, r in found.items() if "outer" in n]
assert outer, list(found)[:20]
assert outer[0]["inclusive"] > 0.8 * sum(r["count"] for r in table["rows"]), outer[0]
P
threads_agree()
{
	wtrace view hot.etl --threads 1 "$@" >one.out && [ -s one.out ] || return 1
	for n in 2 3 16; do
		wtrace view hot.etl --threads $n "$@" | cmp one.out - || return 1
	done
}
check 'threads: by function' threads_agree
check 'threads: by module, thread and line' threads_agree --group-by module,thread,line --json --columns count,first,last
check 'threads: all events' threads_agree --group-by event,process,cpu --csv
check 'threads: filtered' threads_agree --group-by process,function --where "cpu == 0 || comm == 'hot'" \
	--columns count,unique:tid,p50:period,p99:period,weight
check 'threads: stacks' threads_agree --group-by process,stack --json
check 'threads: stacks from the leaf' threads_agree --stack-order leaf --min 0
check 'threads: callers' threads_agree --callers-of outer --json
check 'threads: callees' threads_agree --callees-of outer --csv
check 'threads: folded' threads_agree --folded
check 'threads: inclusive' threads_agree --inclusive --json
check 'threads: inclusive by module, cpu and function' threads_agree --inclusive --group-by module,cpu,function --csv
check_exit 'threads: none is refused' 2 wtrace view hot.etl --threads 0
check 'JSON' wtrace view hot.etl --group-by process,function --json
cp "$TMP/out" view.json
check 'CSV' wtrace view hot.etl --group-by process,function --csv
cp "$TMP/out" view.csv
check 'they agree' python3 - <<'P'
import csv, json
data = json.load(open("view.json"))
rows = list(csv.DictReader(open("view.csv")))
def total(node):
    kids = node.get("rows", []) or node.get("children", [])
    return sum(r["count"] for r in kids)
assert total(data["tables"][0]) > 100
leaves = [r for r in rows]
assert leaves and "count" in leaves[0], rows[:1]
P
all=$(wtrace dump hot.etl --json | grep -c '"event":"sample"')
check 'the time range' wtrace view hot.etl --from 0.05 --to 0.25 --group-by cpu
check 'nested keys add up to all samples' python3 - "$all" <<'P'
import json, sys
data = json.load(open("view.json"))
n = sum(r["count"] for t in data["tables"] for r in t["rows"])
assert n == int(sys.argv[1]), (n, sys.argv[1])
P
check 'the recorder has its own row' sh -c 'wtrace view hot.etl --group-by function --top 0 >with; wtrace view hot.etl --group-by function --top 0 --no-self >without; ! grep -q "wtrace recorder" without'
check 'list knows both words of ETW for it' wtrace list providers readythread
check_out 'it is dispatcher' '^dispatcher  '
check 'list providers' wtrace list providers
check_out 'shows keywords' 'proc_thread'
check 'list events' wtrace list events
check_out 'tracepoints' 'sched:sched_switch'
check_out 'software events' 'cpu-clock'
check 'list as JSON' wtrace list --json
cp out parsed.json
check 'it parses' python3 -m json.tool parsed.json
check 'doctor' wtrace doctor
check_out 'says what the paranoia level means' 'perf_event_paranoid'
check 'doctor as JSON' wtrace doctor --json
cp out parsed.json
check 'it parses' python3 -m json.tool parsed.json
check 'version' wtrace --version
check_out 'with features' '\+'
check 'help' wtrace --help
check_out 'lists the commands' 'record'
for command in start stop record status list view dump mark doctor; do
	check "help of $command" wtrace $command --help
	check_out 'with an example' 'wtrace '"$command"
done
done_testing
