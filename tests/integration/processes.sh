#!/bin/sh
# SPDX-License-Identifier: MIT
# Processes come and go: thousands in a second, exec in the middle, binaries deleted and replaced while they run,
# sessions that start in the middle of a program.
. "$(dirname "$0")/lib.sh"

cat >burst.c <<'C'
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
/* Forks N children that end at once; prints how many it made. */
int main(void)
{
	int made = 0;
	for (int i = 0; i < 2000; i++) {
		pid_t pid = vfork();
		if (pid == 0)
			_exit(i & 0x7f);
		if (pid > 0)
			made++;
		waitpid(pid, NULL, 0);
	}
	printf("%d\n", made);
	return made != 2000;
}
C
cat >spin.c <<'C'
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
/* Burns CPU in one function until its standard input ends. */
#include <poll.h>
volatile uint64_t sink;
__attribute__((noinline)) void burn_here(void)
{
	for (uint64_t i = 0; i < 2000000; i++)
		sink += i * i;
}
int main(void)
{
	struct pollfd pfd = {.fd = 0, .events = POLLIN};
	puts("up");
	fflush(stdout);
	while (poll(&pfd, 1, 0) == 0)
		burn_here();
	return 0;
}
C
gcc -O1 -o burst burst.c && gcc -O1 -fno-omit-frame-pointer -o spin spin.c
s=burst
check 'start' wtrace start -p proc_thread --session "$s"
check '2,000 processes' ./burst
check 'stop' wtrace stop --session "$s" -o burst.etl
wtrace dump burst.etl --json >burst.json
check 'all are there once, with an end each' python3 - <<'P'
import json, collections
events = [json.loads(l) for l in open("burst.json")]
parent = [e["fields"]["pid"] for e in events if e["event"] == "process_exec" and e["fields"]["name"] == "burst"]
assert len(parent) == 1, parent
starts = collections.Counter(e["fields"]["pid"] for e in events
                             if e["event"] == "process_start" and e["fields"]["parent_pid"] == parent[0])
stops = collections.Counter(e["fields"]["pid"] for e in events if e["event"] == "process_stop")
assert sum(starts.values()) == 2000, sum(starts.values())
assert all(stops[p] >= starts[p] for p in starts)
times = [e["time"] for e in events]
assert times == sorted(times)
P

# A process that runs one program and then execs another: samples belong to the program that ran.
check 'exec in the middle' wtrace record -p pmu-profile -F 4999 -o exec.etl -- \
	sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; exec python3 -c "sum(i*i for i in range(3000000))"'
check 'view by process and module' wtrace view exec.etl --group-by comm,module --json
cp out both.json
check 'both programs have their own samples' python3 - <<'P'
text = open("both.json").read()
assert '"sh"' in text and '"python3' in text, text[:3000]
P

# Rundown: the program runs before the session starts.
mkfifo in
./spin <in >up &
spinner=$!
exec 9>in
wait_until 30 test -s up
backgrounds="$backgrounds $spinner"
s=middle
check 'a session in the middle of a program' wtrace start -F 1999 --session "$s"
wait_enough() { [ "$(wtrace status --session "$s" --json | python3 -c 'import json,sys; print(sum(c["events"] for c in json.load(sys.stdin)["counts"] if c["event"]=="sample"))')" -ge 1000 ]; }
check 'a thousand samples' wait_until 60 wait_enough
check 'stop' wtrace stop --session "$s" -o middle.etl
check 'view' wtrace view middle.etl --group-by function --where "pid == $spinner" --top 3
check_out 'the function it was in is named' 'burn_here:spin'

# The binary is deleted while it runs, then replaced by another build.
rm spin && gcc -O2 -DOTHER -o spin spin.c
s=deleted
check 'start' wtrace start -F 1999 --session "$s"
check 'samples' wait_until 60 wait_enough
check 'stop' wtrace stop --session "$s" -o deleted.etl
check 'view by module' wtrace view deleted.etl --group-by process,module
check_out 'the deleted binary is named' 'spin \(deleted\)|spin'
check 'view by function' wtrace view deleted.etl --group-by function
check 'no name of the other build is made up' sh -c '! grep -q "burn_here:spin$" "$1" || grep -q resolved "$1"' sh "$TMP/out"
exec 9>&-
wait "$spinner"

# A child that runs what its parent does has the parent's program, and a pid inside that nobody has told.
check 'children without an exec' wtrace record -p proc_thread -o forks.etl -- sh -c '(:); (:); (:); :'
check 'by the pid inside' wtrace view forks.etl --group-by event,inside_pid --where "comm == 'sh'"
is 'no process has pid 0' "$(grep -cE ' +0$' out)" 0
check 'nor does a filter find one' wtrace view forks.etl --where 'inside_pid == 0 || inside_pid > 4194304'
check_out 'none' '^no event passes'

# A process ends with its last thread: not when its first one ends, nor when another one begins a new program.
cat >ends.c <<'C'
#include <pthread.h>
#include <string.h>
#include <unistd.h>
/* ends: exec by a thread that is not the first. leader: the first thread ends, then the others. last: nothing. */
static pthread_t thread[4];
static int execs;
/* Each waits for the one before it. */
static void *other(void *before)
{
	if (execs && before == thread)
		execl("./ends", "ends", "last", (char *)NULL);
	pthread_join(*(pthread_t *)before, NULL);
	return NULL;
}
int main(int argc, char **argv)
{
	if (argc < 2 || !strcmp(argv[1], "last"))
		return 0;
	execs = !strcmp(argv[1], "exec");
	thread[0] = pthread_self();
	for (int i = 1; i < 4; i++)
		pthread_create(&thread[i], NULL, other, &thread[i - 1]);
	pthread_exit(NULL);
}
C
check 'compile' gcc -O1 -o ends ends.c -lpthread
check 'record' wtrace record -p proc_thread -o ends.etl -- sh -c 'for i in 1 2 3 4 5 6 7 8; do ./ends exec; ./ends leader; done'
wtrace dump ends.etl --json >ends.json
check 'each ends once, behind all its threads and programs' python3 - <<'P'
import json, collections
events = [json.loads(l) for l in open("ends.json")]
pids = {e["fields"]["pid"] for e in events if e["event"] == "process_exec" and e["fields"]["name"] == "ends"}
assert len(pids) == 16, pids
twice = 0
for pid in pids:
    of = [e["event"] for e in events if e["provider"] == "proc_thread" and e["fields"].get("pid") == pid and not e["event"].endswith("_name")]
    assert of.count("process_stop") == 1 and of[-1] == "process_stop", of
    twice += of.count("process_exec") == 2
    # The thread that begins the new program goes on as the first one, which has ended.
    assert of.count("thread_stop") == of.count("thread_start"), of
assert twice == 8, twice
P
done_testing
