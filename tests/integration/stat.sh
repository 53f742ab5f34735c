#!/bin/sh
# SPDX-License-Identifier: MIT
# Counting: what stat counts is what perf stat counts of the same processes in the same time, and exit codes, signals,
# timelines and files are as they should be whatever ends it.
# Runs alone.
. "$(dirname "$0")/lib.sh"

cat >counted.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
/* Two threads; each touches pages of its own and sleeps, once it is told to through standard input. */
static pthread_barrier_t barrier;
static void work(int pages, int sleeps)
{
	char *at = mmap(NULL, pages * 4096UL, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct timespec brief = {0, 100000};
	madvise(at, pages * 4096UL, MADV_NOHUGEPAGE);
	for (int i = 0; i < pages; i++)
		at[i * 4096UL] = 1;
	for (int i = 0; i < sleeps; i++)
		nanosleep(&brief, NULL);
}
static void *in_a_thread(void *arg)
{
	pthread_barrier_wait(&barrier);
	work(200, 30);
	pthread_barrier_wait(&barrier);
	return arg;
}
int main(void)
{
	pthread_t thread;
	char c;
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, in_a_thread, NULL);
	puts("up");
	fflush(stdout);
	if (read(0, &c, 1) != 1)
		return 1;
	pthread_barrier_wait(&barrier);
	work(300, 20);
	pthread_barrier_wait(&barrier);
	puts("done");
	fflush(stdout);
	return read(0, &c, 1) != 1;
}
C
gcc -O1 -pthread -o counted counted.c || exit 1

# value EVENT FILE: the count of an event in lines of -x,
value() { awk -F, -v event="$1" '{ for (i = 2; i < NF; i++) if ($i == event) { print $(i - 2); exit } }' "$2"; }

# start_counted: the program waits for the word, and for another one to end; its process is $counted.
start_counted() {
	rm -f go && mkfifo go
	./counted <go >said &
	counted=$! backgrounds="$backgrounds $!"
	exec 7>go
	wait_until 10 grep -q up said
}

# A program that does the same each time: exact from its exec to its end.
check 'a command is counted' wtrace stat -x, -o ours -e raw_syscalls:sys_enter,raw_syscalls:sys_exit -- /bin/true
perf stat -x, -o theirs -e raw_syscalls:sys_enter,raw_syscalls:sys_exit -- /bin/true
is 'its system calls are as many as perf counts' "$(value raw_syscalls:sys_enter ours)" "$(value raw_syscalls:sys_enter theirs)"
is 'and so are their ends' "$(value raw_syscalls:sys_exit ours)" "$(value raw_syscalls:sys_exit theirs)"
at_least 'they are not none' "$(value raw_syscalls:sys_enter ours)" 10

check 'children of a command are counted' wtrace stat -x, -o forks -e sched:sched_process_fork -- sh -c 'for i in 1 2 3 4 5 6 7; do /bin/true; done; :'
is 'all of them' "$(value sched:sched_process_fork forks)" 7

check 'linux: may stand before a tracepoint' wtrace stat -x, -o named -e linux:sched:sched_process_fork -- sh -c '/bin/true; :'
is 'it is the same event' "$(value sched:sched_process_fork named)" 1

# A process that both count in the same time.
events=page-faults,minor-faults,context-switches,sched:sched_switch,raw_syscalls:sys_enter
start_counted
mkfifo ctl ack
perf stat -x, -o theirs -D -1 --control fifo:ctl,ack -e $events -p "$counted" 2>perf.err &
perf=$! backgrounds="$backgrounds $!"
exec 8>ctl 9<>ack
echo enable >&8
read -r answer <&9
: >stat.err
wtrace -v stat -x, -o ours --by process -e $events -p "$counted" 2>stat.err &
ours=$! backgrounds="$backgrounds $!"
wtrace -v stat -x, -o threads --by thread -e $events -p "$counted" 2>threads.err &
threads=$! backgrounds="$backgrounds $!"
wait_until 10 grep -q 'wtrace: counting' stat.err && wait_until 10 grep -q 'wtrace: counting' threads.err
echo >&7
wait_until 10 grep -q 'done' said
echo >&7
wait "$ours" && ok 'counting ends with the process' || not_ok 'counting ends with the process' "$(cat stat.err)"
wait "$threads"
wait "$perf"
exec 8>&- 9>&-
echo "# perf: $answer"
for event in page-faults minor-faults context-switches sched:sched_switch raw_syscalls:sys_enter; do
	is "$event of a process: as many as perf counts" "$(value $event ours)" "$(value $event theirs)"
	is "$event of its threads: the same in sum" \
		"$(awk -F, -v event=$event '$4 == event { n += $2 } END { print n }' threads)" "$(value $event theirs)"
done
check 'the threads that begin meanwhile are spoken of' grep -q 'note: a thread or process that begins meanwhile' threads.err
at_least 'page faults are those of both threads' "$(value page-faults ours)" 500
is 'there is a row for each thread' "$(grep -c ',page-faults,' threads)" 2
at_least 'the thread that touches 200 pages has them' "$(grep ,page-faults, threads | sed 1d | cut -d, -f2)" 200
at_most 'and not the pages of the other' "$(grep ,page-faults, threads | sed 1d | cut -d, -f2)" 290

# One thread alone.
start_counted
: >stat.err
wtrace -v stat -x, -o thread --tid "$counted" -e page-faults 2>stat.err &
ours=$! backgrounds="$backgrounds $!"
wait_until 10 grep -q 'wtrace: counting' stat.err
other=$(ls "/proc/$counted/task" | tail -n 1)
check_exit 'a thread is no process, and is not counted twice' 2 wtrace stat -p "$counted,$other" -e page-faults --timeout 0.1
check_err 'whose it is is said' "^wtrace stat: --pid $other is a thread of process $counted: --tid $other counts it alone"
echo >&7
wait_until 10 grep -q 'done' said
kill -INT "$ours" && wait "$ours" && ok 'SIGINT ends the counting of a thread, which is printed' || not_ok 'SIGINT ends it' "$(cat stat.err)"
echo >&7
at_least 'its page faults' "$(value page-faults thread)" 300
at_most 'are not those of the other thread' "$(value page-faults thread)" 400

# A control group, in the hierarchy that perf events are of.
mkdir cg
if grep -q :perf_event: /proc/self/cgroup; then mount -t cgroup -o perf_event none cg; else mount -t cgroup2 none cg; fi
group=cg/wt-stat-$$
mkdir "$group" || exit 1
start_counted
echo "$counted" >"$group/cgroup.procs"
: >stat.err
wtrace -v stat -x, -o ours --cgroup "$group" -e page-faults,raw_syscalls:sys_enter 2>stat.err &
ours=$! backgrounds="$backgrounds $!"
wtrace -v stat -x, -o alone --cpu 0 -e page-faults,raw_syscalls:sys_enter -p 1 2>/dev/null && not_ok 'CPUs and a process' 'accepted'
wait_until 10 grep -q 'wtrace: counting' stat.err
wtrace -v stat -x, -o theirs -p "$counted" -e page-faults,raw_syscalls:sys_enter 2>process.err &
process=$! backgrounds="$backgrounds $!"
wait_until 10 grep -q 'wtrace: counting' process.err
echo >&7
wait_until 10 grep -q 'done' said
kill -INT "$ours" "$process"
wait "$ours" && wait "$process" && ok 'a control group is counted' || not_ok 'a control group is counted' "$(cat stat.err)"
is 'page faults of a control group: those of its process' "$(value page-faults ours)" "$(value page-faults theirs)"
is 'system calls of a control group: those of its process' "$(value raw_syscalls:sys_enter ours)" "$(value raw_syscalls:sys_enter theirs)"
at_least 'they are not none' "$(value page-faults ours)" 500
echo >&7
wait_until 10 rmdir "$group" && ok 'the control group is left to itself' || not_ok 'the control group is left to itself'
umount cg

# CPUs: what is counted within perf's time is at most what perf counts, and that at most what is counted around it.
check 'CPUs are counted around a command' wtrace stat -a -x, -o around -e page-faults,context-switches -- \
	perf stat -a -x, -o theirs -e page-faults,context-switches -- \
	wtrace stat -a -x, -o within -e page-faults,context-switches -- /bin/true
for event in page-faults context-switches; do
	at_most "$event of CPUs: within perf's time at most perf's" "$(value $event within)" "$(value $event theirs)"
	at_most "$event of CPUs: perf's at most what was counted around" "$(value $event theirs)" "$(value $event around)"
done
check 'a table for each CPU' wtrace stat -c 0 -e page-faults -- /bin/true
check_out 'it says of which' '^Performance counter stats for core 0, no multiplexing, kernel mode included'
check 'sleep T is the length of the count' wtrace stat -e page-faults -c 0 sleep 0.1
check_out 'nothing was started' '^ *0\.[1-9][0-9]* seconds time elapsed'

check_exit 'sleep T beside --timeout is the program' 143 wtrace stat --timeout 0.1 -x, -o rows -e page-faults sleep 100
at_least 'its faults are counted' "$(value page-faults rows)" 10

# Groups, modes, PMUs of sysfs.
check 'a group is counted' wtrace stat -e '{page-faults,context-switches},{minor-faults}' -- /bin/true
check_out 'its members say so' 'context-switches +sw +g0'
check_out 'a group of one is an event' 'minor-faults +sw +e'
check 'modes are taken' wtrace stat -x, -o modes -e page-faults,page-faults:u,page-faults:k -- /bin/true
is 'user and kernel mode make up both' "$(($(value page-faults:u modes) + $(value page-faults:k modes)))" "$(value page-faults modes)"

check 'modes of a group' wtrace stat -x, -o modes -e '{page-faults,minor-faults:u}:k' -- /bin/true
is 'are in the names' "$(cut -d, -f3 modes | tr '\n' ' ')" 'page-faults:k minor-faults:u '
check 'software events of one mode' wtrace stat -e page-faults:u,page-faults:k -- /bin/true
check_out 'the title does not speak for both' 'kernel mode as each event says'

# A name is text: no terminal takes orders from it.
cp /bin/sleep "$(printf 'a\033[31m\nb')"
"$(printf './a\033[31m\nb')" 100 &
backgrounds="$backgrounds $!"
name_is() { [ "$(tr -d '\0' <"/proc/$1/comm" | head -n 1)" = "$(printf 'a\033[31m')" ]; }
wait_until 10 name_is "$!"
check 'a process with a name of orders' wtrace stat -p "$!" --by process -e page-faults --timeout 0.1
check_out 'it is shown' 'process [0-9]+ \(a\\x1b\[31m\\nb\)'
check 'in lines' wtrace stat -p "$!" --by process -e page-faults --timeout 0.1 -x, -o named
is 'as well' "$(grep -c '^a.x1b\[31m.nb-[0-9]*,' named)" 1
cp /bin/sleep 'a,b'
./a,b 100 &
backgrounds="$backgrounds $!"
name_is_list() { [ "$(cat "/proc/$1/comm")" = a,b ]; }
wait_until 10 name_is_list "$!"
check 'a process with a separator in its name' wtrace stat -p "$!" --by process -e page-faults,cs --timeout 0.1 -x, -o named
is 'shifts no fields' "$(awk -F, '{ print NF, $4 }' named | tr '\n' ' ')" '8 page-faults 8 cs '
check 'another separator leaves it' wtrace stat -p "$!" --by process -e page-faults --timeout 0.1 -x: -o named
is 'the name as it is' "$(cut -d: -f1 named)" "a,b-$!"
check 'an event with the separator in its name' wtrace stat -a -e 'sched:sched_switch' --timeout 0.1 -x: -o named
is 'stands between quotes' "$(grep -c ':"sched:sched_switch":' named)" 1

# Lines as perf's users type them: options behind one dash, and separators.
for line in '-Aa -x, -e cs' '-aAx, -e cs' '-Ax, -ae cs' '-aAe cs -x,' '-A -a -x , -e cs' '--no-aggr -a --field-separator=, -e cs' '-C 0 -A -x, -e cs'; do
	# shellcheck disable=SC2086
	check "stat $line" wtrace stat $line -o rows sleep 0.05
	is "stat $line: each line is of a CPU" "$(grep -vc '^CPU[0-9]*,[0-9]*,,cs,' rows)" 0
	at_least "stat $line: and there is one" "$(grep -c . rows)" 1
done
check 'perf has a word for a tab' wtrace stat -x '\t' -e page-faults,cs -o rows true
is 'it is a tab' "$(awk -F '\t' '{ print NF, $3 }' rows | tr '\n' ' ')" '7 page-faults 7 cs '
check 'a separator of several letters' wtrace stat -x '::' -e page-faults -o rows true
is 'is taken as it is' "$(sed 's/[0-9.]*//g' rows)" '::::page-faults::::::::'

# The kernel ends the counting of who executes a program with other rights.
cp /bin/dd guarded && cp /usr/bin/id its_id
chown "$nobody" guarded its_id && chmod 4755 guarded its_id
if [ "$(./its_id -u)" = "$nobody" ]; then
	check 'a program with other rights' wtrace stat -e page-faults -- ./guarded if=/dev/zero of=/dev/null bs=1M count=200
	check_err 'what was not counted of it is said' '^wtrace: note: only [0-9.]+ of [0-9.]+ ms that ./guarded used on CPUs were counted'
	check 'a child with other rights' wtrace stat -e page-faults -- sh -c './guarded if=/dev/zero of=/dev/null bs=1M count=1000; :'
	check_err 'is said as well' '^wtrace: note: only [0-9.]+ of [0-9.]+ ms that sh used on CPUs were counted'
else
	skip 'a program with other rights' 'set-uid has no effect here'
fi
check 'a program with the rights of its user' wtrace stat -e page-faults -- dd if=/dev/zero of=/dev/null bs=1M count=200
is 'is counted whole' "$(grep -c 'were counted' err)" 0

# What the command ends with is what stat ends with.
check_exit 'an exit code is passed on' 7 wtrace stat -e page-faults -- sh -c 'exit 7'
check_exit 'a signal is passed on' 143 wtrace stat -e page-faults -- sh -c 'kill -TERM $$'
check_out 'the table is printed all the same' page-faults
check_exit 'a command that is not there' 127 wtrace stat -e page-faults -- ./no-such
check_err 'it is said' 'cannot run ./no-such'
check_exit 'a command whose time is over gets SIGTERM' 143 wtrace stat --timeout 0.1 -e page-faults -- sleep 100
: >stat.err
wtrace -v stat -e page-faults -- sleep 100 >interrupted 2>stat.err &
ours=$! backgrounds="$backgrounds $!"
wait_until 10 grep -q 'wtrace: counting' stat.err
kill -TERM "$ours"
code=0
wait "$ours" || code=$?
is 'SIGTERM goes to the command' "$code" 143
is 'and its counts are printed' "$(grep -c 'page-faults' interrupted)" 1

# Repeats.
check 'a command is repeated' wtrace stat -r 4 -e raw_syscalls:sys_enter --json -o runs.json -- /bin/true
is 'the mean of what is always the same' "$(python3 -c '
import json
found = json.load(open("runs.json"))
row = found["core"]["overall"]["Systemwide_Overall_Performance_Counters"][0]
print(found["runs"], row["deviation"], row["counter_value"] > 0)')" '4 0.0 True'

# Timelines: each count is in the file when it has ended, in whole lines, whoever kills the writer.
wtrace stat -q -t -i 0 --timeout 20ms -e page-faults,context-switches -c 0 --output-csv 'line_{class}_{core}.csv' &
ours=$! backgrounds="$backgrounds $!"
rows() { [ "$(wc -l <"$1" 2>/dev/null || echo 0)" -ge "$2" ]; }
wait_until 20 rows line_core_0.csv 15
kill -KILL "$ours"
wait "$ours" 2>/dev/null
is 'a timeline whose writer was killed ends with a whole line' "$(tail -c 1 line_core_0.csv | od -An -c | tr -d ' ')" '\n'
is 'its head is that of wperf' "$(head -8 line_core_0.csv | tr '\n' ';')" \
	'Multiplexing,FALSE;Kernel mode,TRUE;Count interval,0.00;Vendor,'"$(sed -n 's/^Vendor,//p' line_core_0.csv)"';Event class,core;;core 0,core 0,;page-faults,context-switches,;'
is 'each row has each column' "$(sed 1,8d line_core_0.csv | grep -Evc '^[0-9]+,[0-9]+,$')" 0
wtrace stat -t -i 0 --timeout 20ms -e page-faults -a -o line.json &
ours=$! backgrounds="$backgrounds $!"
wait_until 20 rows line.json 10
kill -KILL "$ours"
wait "$ours" 2>/dev/null
check 'a JSON timeline is whole at any time' python3 -c '
import json
found = json.load(open("line.json"))
assert len(found["timeline"]) >= 8, found
assert all("Time_elapsed" in count for count in found["timeline"])'
check 'a timeline ends by itself' wtrace stat -t -i 0 -n 3 --timeout 50ms -e page-faults -c 0 --csv-time -o three.csv
is 'after so many counts' "$(sed 1,8d three.csv | wc -l)" 3
is 'with the time in front' "$(sed -n 8p three.csv)" 'time,page-faults,'

check 'counts are printed as they come' wtrace stat -I 20 -n 3 -x, -o printed -e page-faults -a
is 'one for each interval' "$(grep -c ',page-faults,' printed)" 3
check 'a timeline on standard output is one JSON object' sh -c 'wtrace stat -t -i 0 -n 2 --timeout 20ms -e page-faults -a --json >two.json'
is 'with all counts' "$(python3 -c 'import json; print(len(json.load(open("two.json"))["timeline"]))')" 2

# Metrics of one's own, from the counts.
printf 'each=sched:sched_process_fork/sched:sched_process_exit\nnone=sched:sched_process_fork/sched:sched_wait_task\nset:{page-faults,minor-faults}\n' >own
check 'metrics of a file' wtrace stat -C own -m each,none,set -o metrics.txt -- sh -c '/bin/true; :'
is 'a quotient' "$(awk '$3 == "each" || $2 == "each" { print $NF; exit }' metrics.txt)" 0.500
is 'a division by zero is n/a' "$(awk '$3 == "none" { print $4 }' metrics.txt)" n/a
is 'a set has events alone' "$(grep -c 'g2,set' metrics.txt)" 2

# Those who may not see all.
check_exit 'a user without rights may not count CPUs' 1 as_nobody wtrace stat -e page-faults -a --timeout 0.1
check_err 'it is said why' 'perf_event_paranoid'
if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ]; then
	check 'but what runs is its own' as_nobody wtrace stat -e page-faults,task-clock -- /bin/true
	check_out 'the table says what it lacks' 'kernel mode excluded|kernel mode included'
	check 'without events' as_nobody wtrace stat -- /bin/true
	check_out 'what happens in the kernel alone is counted, or named' 'context-switches +sw|^note: this user may not count context-switches, cpu-migrations$'
fi

# Where there is no PMU software events count and the table says so.
if ! perf stat -x, -e cycles -- /bin/true 2>&1 | grep -q 'not supported'; then
	echo '# there is a PMU'
else
	check 'hardware events that are not there' wtrace stat -e cycles,page-faults -- /bin/true
	check_out 'are not counted as 0' '<not supported> +cycles'
	check_out 'the reason is in the table' "^note: nothing here counts 'cycles': there is no PMU"
	check 'without events' wtrace stat -- /bin/true
	check_out 'software events are counted' 'task-clock'
	check_out 'the table says it' '^note: there is no hardware PMU here: only software events are counted'
	check_exit 'hardware events alone fail' 1 wtrace stat -e cycles -- /bin/true
fi

done_testing
