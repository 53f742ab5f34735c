#!/bin/sh
# SPDX-License-Identifier: MIT
# What is typed is never answered with silence or with the loss of something: names that nobody knows, patterns, files that
# are there already, commands that are not, signals.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

# ---- names that nobody registers ----
check_exit 'a program that never comes' 1 wtrace record -p nobody-ever -o never.etl -- true
check_err 'is named' "no program registered provider nobody-ever while the session ran"
is 'and waited for aloud, once' "$(grep -c "no program has registered provider 'nobody-ever' yet" err)" 1
check 'its log is there all the same' wtrace verify never.etl
check_exit "a command's own failure passes on" 7 wtrace record -p nobody-ever -o never7.etl -- sh -c 'exit 7'
check_err 'and the name is said' 'no program registered provider nobody-ever'
check 'a session that waits for two names' wtrace start -p nobody-ever,nor-this,proc_thread
check 'its status' wtrace status
check_out 'names them' 'no program has registered nobody-ever,nor-this yet'
check_exit 'its end is a failure' 1 wtrace stop -o two.etl
check_err 'which names both' 'no program registered provider nobody-ever,nor-this'
check_out 'behind its summary' 'two.etl: .* 0 lost'
check 'in JSON' wtrace start -p nobody-ever --json
check_exit 'the end fails as well' 1 wtrace stop -o json.etl --json
check_out 'and the summary names it' '"nobody_registered":"nobody-ever"'
check 'a name that is taken back' wtrace start -p nobody-ever,proc_thread
check 'is awaited no more' wtrace disable nobody-ever
check 'and its session ends well' wtrace stop -o back.etl
for word in sched_switch cycles DISK_IO SYSCALL DPC 1234; do
	check_exit "-p $word is no program" 2 wtrace record -p "$word" -o word.etl -- true
	check_err 'and the right line is shown' '-p linux:|-e cycles|--pid 1234'
done

# ---- patterns ----
for pattern in 'linux:syscalls:sys_enter_op*' 'linux:kmem:mm_page_*' 'linux:sched:*_process_*'; do
	check "record $pattern" record_knowing pattern.etl --force -p "$pattern" -- sh -c 'cat /etc/hostname; cat /etc/hostname'
	wtrace dump pattern.etl --json >pattern.json
	check 'what is written is what was counted' python3 - <<'P'
import json, collections
written, counted = collections.Counter(), {}
for e in map(json.loads, open("pattern.json")):
    if e["event"] == "counted":
        f = e["fields"]
        counted[f["event"], f["on_cpu"]] = (f["produced"], f["lost"])
    elif e["provider"].startswith("linux:"):
        written[e["event"], e["cpu"]] += 1
assert sum(produced for produced, lost in counted.values()), counted
for key, (produced, lost) in counted.items():
    assert produced == written[key] + lost, (key, produced, written[key], lost)
assert set(written) <= set(counted), (written, counted)
P
done
check_exit 'a pattern that nothing matches' 2 wtrace record -p 'linux:sched:nothing_*' -o none.etl -- true
check_err 'says so' "no tracepoint matches 'sched:nothing_\*'"

# ---- files that are there ----
check 'a log' wtrace record -p proc_thread -o kept.etl -- true
cp kept.etl before.etl
check_exit 'record does not replace it' 1 wtrace record -p proc_thread -o kept.etl -- touch ran
check_err 'and says how it would' 'kept.etl exists already: choose another name, or use --force'
check_exit 'its command has not run' 1 test -e ran
check_exit 'start does not' 1 wtrace start -p proc_thread -o kept.etl
check 'a session' wtrace start -p proc_thread
check_exit 'stop does not' 1 wtrace stop -o kept.etl
check_err 'and the session goes on' "session 'default' goes on: .*kept.etl exists already"
check 'as it does' wtrace status
check 'another name will do' wtrace stop -o other.etl
check 'a session that may replace one file' wtrace start -p proc_thread -o may.etl --force
check_exit 'may replace no other' 1 wtrace stop -o kept.etl
check 'it ends' wtrace stop
check_exit 'relog does not replace' 1 wtrace relog other.etl -o kept.etl
check_exit 'nor merge' 1 wtrace merge other.etl -o kept.etl
check 'the log is what it was' cmp kept.etl before.etl
check_exit 'a mistyped command replaces nothing' 127 wtrace record -p proc_thread -o kept.etl --force -- no-such-command
check 'the log is what it was' cmp kept.etl before.etl
printf '#!/no/such/interpreter\n' >script && chmod +x script
check_exit 'nor does one that cannot be run' 127 wtrace record -p proc_thread -o kept.etl --force -- ./script
check_err 'which is named' 'cannot run ./script'
check 'the log is what it was' cmp kept.etl before.etl
is 'and nothing is left of that session' "$(ls spool)" ''
: >empty.etl
check 'an empty file is as good as none' wtrace record -p proc_thread -o empty.etl -- true
check 'with --force a log is replaced' wtrace record -p proc_thread -o kept.etl --force -- true
check_exit 'it is' 1 cmp kept.etl before.etl

# ---- signals ----
interrupted() { # FILE HOW COMMAND...: record in the background as a script has it, or as a terminal; SIGINT to it alone
	python3 - "$@" <<'P'
import os, signal, subprocess, sys
file, how, command = sys.argv[1], sys.argv[2], sys.argv[3:]
ready, told = os.pipe()
os.environ["READY"] = str(told)
ignored = signal.SIG_IGN if how == "script" else signal.SIG_DFL
p = subprocess.Popen(["wtrace", "record", "-p", "proc_thread", "-o", file, "--"] + command, pass_fds=[told],
                     start_new_session=True, preexec_fn=lambda: signal.signal(signal.SIGINT, ignored))
os.close(told)
assert os.read(ready, 3) == b"up\n"
p.send_signal(signal.SIGINT)
sys.exit(p.wait(60))
P
}
check_exit 'SIGINT ends the command' 130 interrupted int.etl terminal sh -c 'echo up >&$READY; exec sleep 1000'
check 'its log is complete' wtrace verify int.etl
check_exit 'and what a shell has started' 130 interrupted deep.etl terminal bash -c 'sh -c "echo up >&\$READY; exec sleep 1000"; :'
check 'its log is complete' wtrace verify deep.etl
check_exit 'a job in the background of a script ends' 143 interrupted job.etl script sh -c 'echo up >&$READY; exec sleep 1000'
check 'its log is complete' wtrace verify job.etl
check_exit 'a command may end in its own way' 3 interrupted own.etl terminal \
	sh -c 'trap "exit 3" INT; echo up >&$READY; while :; do sleep 0.05; done'

# ---- the same words everywhere ----
check 'lists with commas: events, processes' wtrace start -e cpu-clock,page-faults:1 --pid 1,$$
check 'a session for programs' wtrace start -s programs -p proc_thread
check 'takes a name without -p' wtrace enable -s programs later,latest
check 'and gives it back' wtrace disable -s programs later,latest
check 'it ends well' wtrace stop programs
check 'the log of a session that runs' wtrace view -s default --group-by event
check_out 'as it is by now' 'process_rundown'
check 'and its events' wtrace dump -s default --event process_rundown,thread_rundown
check_out 'of both kinds' 'proc_thread/thread_rundown'
check_exit 'of one that does not' 1 wtrace view -s nobody
check_err 'which is said' "no session 'nobody' is running; running: default"
check_exit 'a file and a session' 2 wtrace view kept.etl -s count
check_err 'which the order of rows was not meant by' 'the order of rows is --sort'
check_exit 'an empty word in a list' 2 wtrace dump kept.etl --event proc_thread,
check_err 'is refused' "empty word in --event 'proc_thread,'"
check 'stop takes a name' wtrace stop default
check 'relog takes processes' wtrace relog kept.etl -o some.etl --pid 1,2
check 'list events shows fields' wtrace list events sched_switch
check_out 'of the tracepoint' 'prev_comm'
check 'list events takes a pattern' wtrace list events 'sched:sched_sw*'
check_out 'which is all of the name' 'linux:sched:sched_switch'
is 'and nothing else' "$(grep -c linux: out)" "$(grep -c linux:sched:sched_sw out)"

cat >names.cc <<'C'
#include <pthread.h>
volatile unsigned long sink;
__attribute__((noinline)) void compute(int n) { for (int i = 0; i < n; i++) sink += i; }
static void *work(void *) { pthread_setname_np(pthread_self(), "worker0"); for (int i = 0; i < 300; i++) compute(1000000); return 0; }
int main() { pthread_t t; pthread_create(&t, 0, work, 0); pthread_join(t, 0); return 0; }
C
g++ -O1 -g -o names names.cc -pthread
check 'the tables of a program in C++ with a named thread' wtrace record -q --stackwalk -o first.etl -- ./names
check 'with them it is recorded' record_whole names.etl --stackwalk -- ./names
rows() { wtrace view names.etl --group-by function --csv --where "$1" 2>rows.err | grep -c compute; }
is "function == 'compute' finds compute(int)" "$(rows "function == 'compute'")" 1
is 'with its parameters as well' "$(rows "function == 'compute(int)'")" 1
is 'without quotes as well' "$(rows 'function == compute && comm == names')" 1
is 'in the stack as well' "$(rows 'stack has compute && thread == worker0')" 1
is 'and compute is not found where it is left out' "$(rows "comm == 'names' && function != 'compute'")" 0
check 'callers of it' wtrace view names.etl --callers-of compute
check_out 'are named' 'work'
is 'no note where all is found' "$(wtrace view names.etl --where "comm == names" 2>&1 >/dev/null | grep -c named)" 0
check 'a thread is no process' wtrace view names.etl --where "comm == 'worker0'"
check_err 'which is said' "no process is named 'worker0', a thread is: thread == 'worker0'"
check 'a misspelt one' wtrace dump names.etl --where "thread == 'workr0'"
check_err 'is said with the nearest' "no thread is named 'workr0'; did you mean 'worker0'\?"
check 'relog says it as well' wtrace relog names.etl -o none.etl --where "process == 'worker0'"
check_err 'with the thread' "a thread is: thread == 'worker0'"

# A function that the compiler copied has other names than its source.
cat >copies.c <<'C'
#include <time.h>
volatile unsigned long sink;
__attribute__((noinline)) static void turn(int n, int step) { for (int i = 0; i < n; i++) sink += step; }
void other(void) __asm__("go.other"); /* as Go names its functions */
__attribute__((noinline)) void other(void) { for (int i = 0; i < 100000; i++) sink += 3; }
int main(void)
{
	clock_t begun = clock();

	while (clock() - begun < CLOCKS_PER_SEC / 3)
		turn(100000, 7), turn(200000, 7), other();
	return 0;
}
C
gcc -O3 -g -o copies copies.c
copy=$(nm copies | sed -n 's/.* \(turn[.].*\)/\1/p' | head -1)
check 'a program with a copied function' wtrace record -q -o copies.etl -- ./copies
if [ -z "$copy" ]; then skip 'its name is shown' 'this compiler copies no function'; else
	check 'the name of the source' wtrace view copies.etl --where "function == 'turn'"
	check_err 'brings the name of the copy' "a copy of 'turn', which is a function of its own: 'turn[.]"
	check_exit 'annotate asks' 2 wtrace annotate copies.etl turn
	check_err 'with the name of the copy' "did you mean 'turn[.]"
	check 'another name with a point' wtrace view copies.etl --where "function == 'go' || function == '${copy%.*}' || stack has 'tur'"
	is 'is no copy' "$(grep -c 'made a copy' err)" 0
	check 'and is counted' wtrace view copies.etl --where "function == 'go.other'" --csv
	check_out 'under its name' ',go.other:copies,'
	check 'the copy itself is found' wtrace view copies.etl --where "function == '$copy'" --csv
	check_out 'with its samples' ",$copy:copies,"
fi
done_testing
