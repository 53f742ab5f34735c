#!/bin/sh
# SPDX-License-Identifier: MIT
# What is recorded: some processes, some CPUs, several events at once, each counted exactly when its period is 1.
. "$(dirname "$0")/lib.sh"

cat >threads.c <<'C'
#include <pthread.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>
/* Two threads and, once told through standard input, a child burn CPU until standard input ends. */
static volatile int go = 1;
static volatile uint64_t sink;
static void *in_a_thread(void *arg)
{
	while (go)
		sink++;
	return arg;
}
int main(void)
{
	pthread_t t;
	char c;
	pthread_create(&t, NULL, in_a_thread, NULL);
	puts("up");
	fflush(stdout);
	if (read(0, &c, 1) == 1 && fork() == 0)
		in_a_thread(NULL);
	while (read(0, &c, 1) > 0)
		;
	go = 0;
	pthread_join(t, NULL);
	kill(0, 0);
	return 0;
}
C
sed -i 's/#include <stdio.h>/#include <signal.h>\n#include <stdio.h>/; s/\tkill(0, 0);\n//' threads.c
gcc -O1 -pthread -o threads threads.c
mkfifo in
./threads <in >up &
target=$!
backgrounds="$backgrounds $target"
exec 9>in
wait_until 30 test -s up

samples() { wtrace status -s "$1" --json | python3 -c '
import json, sys
print(sum(c["events"] for c in json.load(sys.stdin)["counts"] if c["event"] == "sample"))'; }
enough() { [ "$(samples "$1")" -ge "$2" ]; }

check 'start on one process' wtrace start -F 1999 --pid "$target" -s one
check_out 'says so' "scope: only process $target and what it starts"
check_exit 'a program'"'"'s provider is none of the kernel'"'"'s events' 2 wtrace enable -s one -p user:my-app
check_err 'and has a filter for it' "filter 'my-app:pid=$target'"
check_exit 'nor has it CPUs' 2 wtrace start -s gone -p user:my-app --cpu 0
check_err 'which view can choose' "where 'cpu == 0'"
check 'its samples come' wait_until 60 enough one 500
echo x >&9
check 'it forks' wait_until 60 pgrep -P "$target"
n=$(samples one)
check 'also after it has forked' wait_until 60 enough one $((n + 1000))
check 'stop' wtrace stop -s one -o one.etl
check 'view' wtrace view one.etl --top 1
check_out 'says what it was restricted to' "^scope +only process $target and what it starts\$"
check 'info' wtrace info one.etl
check_out 'says so too' "^scope only process $target and what it starts\$"
check 'and as JSON' wtrace info one.etl --json
check_out 'as a member' "\"scope\":\"only process $target and what it starts\""
check 'view' wtrace view one.etl --group-by comm --json
cp out one.json
check 'nothing but that process and its child' python3 - <<'P'
import json
rows = json.load(open("one.json"))["tables"][0]["rows"]
names = {str(r["key"]) for r in rows}
assert all("threads" in n for n in names), names
P
check 'view by process and thread' wtrace view one.etl --group-by process,tid --json
cp out two.json
check 'two processes, three threads or more' python3 - <<'P'
import json
rows = json.load(open("two.json"))["tables"][0]["rows"]
assert len(rows) == 2, rows
assert sum(len(r["rows"]) for r in rows) >= 2, rows
P
pkill -KILL -P "$target"
exec 9>&-
wait "$target"
check_exit 'a process that is not there' 1 wtrace start --pid 4194000 -s gone
check_err 'is named' '4194000'

check 'one CPU only' wtrace record --cpu 0 -F 1999 -o cpu0.etl -- sh -c 'taskset -c 0 python3 -c "sum(i*i for i in range(3000000))"; taskset -c '"$(last_cpu)"' true'
check 'view by cpu' wtrace view cpu0.etl --group-by cpu --json
cp out cpu.json
check 'has only that one' python3 - <<'P'
import json
rows = json.load(open("cpu.json"))["tables"][0]["rows"]
assert [str(r["key"].get("cpu", r["key"])) for r in rows] == ["0"], rows
P
check 'which the log says' wtrace view cpu0.etl --top 1
check_out 'in its head' '^scope +only CPU 0$'
check_exit 'a CPU that is not there' 2 wtrace start --cpu 4000 -s gone
check_err 'is named' '4000'

check 'several events' wtrace record -e page-faults:1 -e context-switches:1 -e cpu-clock:1000000 \
	-p pmu-profile,linux:raw_syscalls:sys_enter -o several.etl -- python3 -c '
import mmap
pages = mmap.mmap(-1, 50 << 20)
pages.madvise(mmap.MADV_NOHUGEPAGE)
for at in range(0, len(pages), 4096):
    pages[at] = 1'
check_err 'each is said' 'page-faults'
check 'view' wtrace view several.etl --top 3
for event in page-faults context-switches cpu-clock; do
	check_out "a table of $event" "sample source: $event"
done
wtrace dump several.etl --json >several.json
check 'period 1 is exact on every CPU' python3 - <<'P'
import collections, json, mmap
written, exact, shown = collections.Counter(), {}, {}
for e in map(json.loads, open("several.json")):
    if e["event"] == "sample":
        written[e["fields"]["source_text"], e["cpu"]] += 1
    elif e["event"] == "sys_enter":
        written["sys_enter", e["cpu"]] += 1
    elif e["event"] == "counted":
        f = e["fields"]
        (exact if f["period1"] else shown)[f["event"], f["on_cpu"]] = (f["produced"], f["lost"])
assert {k[0] for k in exact} == {"sys_enter", "page-faults", "context-switches"}, exact
for key, (produced, lost) in exact.items():
    assert produced == written[key] + lost, (key, produced, written[key], lost)
# What the kernel counts and does not sample is among the lost.
assert sum(produced for k, (produced, _) in exact.items() if k[0] == "page-faults") > 50 * 2**20 // mmap.PAGESIZE - 1, exact
P
check_exit 'an unknown PMU' 2 wtrace start -e 'nopmu/event=1/' -s gone
check_err 'is named' 'nopmu'
done_testing
