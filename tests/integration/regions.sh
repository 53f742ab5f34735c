#!/bin/sh
# SPDX-License-Identifier: MIT
# Durations of a real program with four threads: a region per request, its phases, a lock and one slow SQL statement. The
# program logs what it knows itself. The README's three commands find the slow request, its phase, and p99.
. "$(dirname "$0")/lib.sh"

programs=$WT_ROOT/build/tests/programs

check 'record' wtrace record --stackwalk=pmu-profile -p shop,pmu-profile -o shop.etl -- "$programs/sdk_requests" truth
whole_or_told 'nothing is lost' shop.etl --regions

# Every region's duration lies between what the program measured inside and outside of its events.
cat >compare.py <<'P'
import json, sys
rows = [json.loads(line) for line in open("regions.json")]
by_activity = {r["activity"]: r["fields"]["number"] for r in rows if r["event"] == "request"}
got = {}
for r in rows:
    key = r["event"], by_activity[r["activity"]]
    assert key not in got, key
    got[key] = r["fields"]
    assert r["fields"]["region"] == r["event"] and r["fields"]["region_state"] == "complete", r
    assert r["fields"]["ended"] - r["time"] == r["fields"]["duration"], r
    assert r["tid"] == r["fields"]["end_tid"], r
truth = [line.split() for line in open("truth")]
assert len(got) == len(truth) == 2000, (len(got), len(truth))
phases = {}
for name, number, least, most in truth:
    fields = got[name, int(number)]
    assert int(least) <= fields["duration"] <= int(most), (name, number, least, fields, most)
    if name != "request":
        assert fields["within"] == "request" and fields["self_time"] == fields["duration"], fields
        phases[number] = phases.get(number, 0) + fields["duration"]
for name, number, least, most in truth:
    if name == "request":
        fields = got[name, int(number)]
        assert fields["self_time"] == fields["duration"] - phases[number], fields
P
check 'a line for each region' wtrace dump shop.etl --regions --json
cp out regions.json
check 'regions are as the program measured them' python3 compare.py

check 'which kind of region is slow, and p99' wtrace view shop.etl --regions
check_out 'a row has count, p50, p99, max, total and self' \
	'^ +400( +[0-9.]+ ([num]s|s)){5}  request$'
slow=$(awk '$1 == "request" && $4 > most { most = $4; slow = $2 } END { print slow }' truth)
# The request with the slow statement (sdk_requests.c). On a busy machine another one may have waited for longer.
statement=$((400 * 2 / 3))

# The three commands of the README, as they are printed.
mkdir readme && cd readme && ln -s "$WT_ROOT/build" build
awk '/^## / { on = /slow request/ } on && /^wtrace /' "$WT_ROOT/README.md" >lines
is 'the README has three commands' "$(wc -l <lines)" 3
check '1: record' sh -c "$(sed -n 1p lines)"
check '2: which request, and p99' sh -c "$(sed -n 2p lines)"
cp ../out two
of_readme=$(awk '$1 == "request" && $4 > most { most = $4; slow = $2 } END { print slow }' truth.txt)
check 'all requests have a p99' grep -qE '^ +400( +[0-9.]+ ([num]s|s)){5}  request$' two
check 'the slow one comes first' grep -qE "^ +1 .*  $of_readme\$" two
check '3: which phase of it' sh -c "$(sed -n 3p lines)"
check 'the README asks for the one with the slow statement' grep -q "number == $statement)" lines
of_readme=$(awk -v n="$statement" '$1 != "request" && $2 == n && $4 > most { most = $4; phase = $1 } END { print phase }' truth.txt)
check '3: which phase of it, as CSV' sh -c "$(sed -n 3p lines) --csv"
is 'the longest follows the request' "$(sed -n 's/^,\([a-z]*\),1,.*/\1/p' ../out | head -2 | tr '\n' ' ')" "request $of_readme "
cd ..

# Numbers, against what the program knows.
cat >numbers.py <<'P'
import json, math
rows = {r["key"]["region"]: r for r in json.load(open("numbers.json"))["tables"][0]["rows"]}
all = {}
for line in open("regions.json"):
    fields = json.loads(line)["fields"]
    all.setdefault(fields["region"], []).append(fields)
assert set(rows) == set(all), rows
for name, row in rows.items():
    values = sorted(f["duration"] for f in all[name])
    assert row["count"] == len(values) and row["max"] == values[-1] and row["total"] == sum(values), row
    assert row["self"] == sum(f["self_time"] for f in all[name]), row
    for p in (50, 99):
        exact = values[math.ceil(p / 100 * len(values)) - 1]
        assert abs(row["p%d" % p] - exact) <= 0.008 * exact, (name, p, row, exact)
P
check 'as JSON' wtrace view shop.etl --regions --json
cp out numbers.json
check 'count, max, total and self are exact, p50 and p99 within 0.8 %' python3 numbers.py

# What happened inside.
check 'samples inside of the slow statement' wtrace view shop.etl --where "in region (number == $statement)" --group-by module
check_out 'are in SQLite' 'libsqlite3'
wtrace dump shop.etl --json >all.json
cat >inside.py <<'P'
import json, sys
regions = [json.loads(line) for line in open("regions.json")]
spans = [(r["tid"], r["time"], r["fields"]["ended"], r["activity"]) for r in regions if r["event"] == sys.argv[1]]
def inside(e):
    for tid, begin, end, activity in spans:
        if begin <= e["time"] <= end and (e["activity"] == activity if "activity" in e else e["tid"] == tid):
            return True
    return False
want = [e for e in map(json.loads, open("all.json")) if inside(e)]
got = [json.loads(line) for line in open("inside.json")]
assert got == want and got, (len(got), len(want))
P
for region in request query parse; do
	check "events inside of $region" wtrace dump shop.etl --json --where "in region '$region'"
	cp out inside.json
	check "are those between its ends: $region" python3 inside.py $region
done
check 'with other conditions' wtrace dump shop.etl --json --where "in region 'query' && provider == 'pmu-profile' && !(cpu == 99)"
check 'threads count alike' wtrace view shop.etl --where "in region 'request'" --threads 4 --group-by event --csv
cp out four.csv
check 'threads count alike: one' wtrace view shop.etl --where "in region 'request'" --threads 1 --group-by event --csv
is 'the same' "$(cat out)" "$(cat four.csv)"
check 'relog takes what is inside' wtrace relog shop.etl -o part.etl --where "in region (number == $slow)"
check 'its regions' wtrace view part.etl --regions --csv
is 'are that request and its phases' "$(sed -n 's/^,\([a-z]*\),1,.*/\1/p' out | sort | tr '\n' ' ')" 'lock parse query render request '

# Histograms.
check 'a histogram on the terminal' wtrace view shop.etl --histogram duration --where "region == 'query'"
check_out 'has bars' '^ +[0-9.]+ [um]s \.\. +[0-9.]+ [um]s +[0-9]+ \|#+$'
check 'as JSON' wtrace view shop.etl --histogram duration --json
cp out histogram.json
cat >histogram.py <<'P'
import json
want = {}
for line in open("regions.json"):
    fields = json.loads(line)["fields"]
    bucket = want.setdefault(fields["region"], {})
    least = 1 << fields["duration"].bit_length() >> 1
    bucket[least, least * 2] = bucket.get((least, least * 2), 0) + 1
got = {r["key"]["region"]: {(b["from"], b["below"]): b["count"] for b in r["histogram"]}
       for r in json.load(open("histogram.json"))["tables"][0]["rows"]}
assert got == want, (got, want)
P
check 'has every region in its power of two' python3 histogram.py
check 'per activity' wtrace view shop.etl --group-by activity,region --columns count,total --top 2
check_out 'a row for each' '^ +5 +[0-9.]+ [num]?s  [0-9a-f-]{36}$'

# System calls and pairs.
cat >sleeps.c <<'C'
#include <fcntl.h>
#include <unistd.h>
int main(void)
{
	for (int i = 0; i < 20; i++) {
		int fd = open("/dev/null", O_WRONLY);
		if (write(fd, "x", 1) != 1 || close(fd))
			return 1;
	}
	return 0;
}
C
gcc -O1 -o sleeps sleeps.c
check 'record system calls' record_knowing calls.etl \
	-p linux:syscalls:sys_enter_openat,linux:syscalls:sys_exit_openat,linux:raw_syscalls:sys_enter,linux:raw_syscalls:sys_exit -- ./sleeps
check 'by number' wtrace view calls.etl --regions --where "comm == 'sleeps' && provider == 'linux:raw_syscalls'" --csv
check_out 'they have names' '^,sys_write,20,'
check 'by name' wtrace view calls.etl --regions --where "comm == 'sleeps' && provider == 'linux:syscalls'" --csv
check_out 'and a time' '^,sys_openat,2[0-9],[0-9]'
check 'a pair' wtrace view calls.etl --pair 'sys_enter,linux:raw_syscalls:sys_exit by id' \
	--where "comm == 'sleeps' && region == 'sys_enter..sys_exit' && id == 1" --csv
check_out 'has its name' '^,sys_enter\.\.sys_exit,20,'
check 'what returned' wtrace dump calls.etl --regions --where "comm == 'sleeps' && region == 'sys_write'"
is 'is a field of the region' "$(grep -c ' ret=1$' out)" 20
check_out 'durations have units' ' duration=[0-9.]+ [nu]s '

# Calls that return twice, or with another number: strace counts the same.
cat >twice.c <<'C'
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
static void on_signal(int number)
{
	(void)number;
	syscall(SYS_getpriority, 0, 0);
}
static int child(void *arg)
{
	(void)arg;
	return 0;
}
int main(void)
{
	static char stack[65536];
	for (int i = 0; i < 7; i++) {
		pid_t pid = vfork();
		if (pid == 0)
			_exit(0);
		waitpid(pid, 0, 0);
		pid = clone(child, stack + sizeof(stack), CLONE_VM | SIGCHLD, 0);
		waitpid(pid, 0, 0);
	}
	signal(SIGUSR1, on_signal);
	for (int i = 0; i < 9; i++)
		raise(SIGUSR1);
	return 0;
}
C
gcc -O1 -o twice twice.c
check 'record calls that return twice' record_knowing twice.etl \
	-p linux:raw_syscalls:sys_enter,linux:raw_syscalls:sys_exit,linux:syscalls:sys_enter_clone,linux:syscalls:sys_exit_clone -- ./twice
check 'a call is one region' wtrace view twice.etl --regions --where "comm == 'twice'" --group-by provider,region --csv
# Not all machines have a system call vfork; without it the library asks clone for it.
made() { sed -n "s/^,$1,sys_\(vfork\|clone\),\([0-9]*\),.*/\2/p" out | awk '{ n += $1 } END { print n + 0 }'; }
is 'of the parent alone' "$(made linux:raw_syscalls)" 14
is 'by name as well' "$(sed -n 's/^,linux:syscalls,sys_clone,\([0-9]*\),.*/\1/p' out)" \
	"$(sed -n 's/^,linux:raw_syscalls,sys_clone,\([0-9]*\),.*/\1/p' out)"
check_out 'the handler ran' '^,linux:raw_syscalls,sys_getpriority,9,'
check_out 'and returned each time' '^,linux:raw_syscalls,sys_rt_sigreturn,9,[0-9]'
is 'no call is without a name' "$(grep -c 'syscall -1' out)" 0

# Mistakes.
check_exit 'a pair of nothing' 2 wtrace view shop.etl --pair 'request_strat,request_stop'
check_err 'names the nearest event' "did you mean 'request_start'"
check_exit 'a field of nothing' 2 wtrace view shop.etl --pair 'request_start,request_stop by numbre'
check_err 'names the nearest field' "did you mean 'number'"
check_exit 'half a pair' 2 wtrace view shop.etl --pair request_start
check_err 'says how' 'BEGIN,END by FIELD'
check_exit 'a column of regions' 2 wtrace view shop.etl --columns p99
check_err 'says how to ask' '--regions'
check_exit 'a filter of regions' 2 wtrace view shop.etl --where "region == 'query'"
check_err 'says how to ask: a filter' "'region' belongs to regions: .*--regions"
check_exit 'a key of regions' 2 wtrace view shop.etl --group-by duration
check_err 'says how to ask: a key' '--regions'
check_exit 'a line of regions' 2 wtrace dump shop.etl --where "duration > 1ms"
check_err 'says how to ask: a line' '--regions'
check_exit 'following regions' 2 wtrace dump --follow shop.etl --where "in region 'query'"
check_err 'is refused' 'follow'
done_testing
