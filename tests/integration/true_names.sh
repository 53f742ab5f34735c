#!/bin/sh
# SPDX-License-Identifier: MIT
# Names are never wrong: programs whose every function name tells which file it came from are run while their files are
# replaced, written over, removed, linked and renamed, before, during and after, and libraries take turns at one address.
# What is known of a file that stayed has a name, unless the log says that events were lost; of others there is the right
# name or none. WT_NAMES_ROUNDS: how often.
. "$(dirname "$0")/lib.sh"

ROUNDS=${WT_NAMES_ROUNDS:-1}
SDK="$WT_ROOT/build/sdk"
mkdir sdk && cp "$SDK/libwtrace.so.0" "$SDK/libwtrace.so" "$SDK/wtrace.h" sdk/
export LD_LIBRARY_PATH="$TMP/sdk"

# One function for each file: work_K, in a program or a library.
cat >work.c <<'PROGRAM'
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#define GLUE_(a, b) a##b
#define GLUE(a, b)  GLUE_(a, b)
static volatile uint64_t sink;
static int64_t used(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}
__attribute__((noinline)) void GLUE(work_, K)(void)
{
	for (int64_t end = used() + 25000000; used() < end;)
		for (int i = 0; i < 20000; i++)
			sink += i * K;
}
/* Half of the work, then whoever reads our output does something to our file, then the other half. */
int main(void)
{
	char line[16];
	GLUE(work_, K)();
	puts("half");
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		return 1;
	GLUE(work_, K)();
	return 0;
}
PROGRAM

# Libraries that differ in the name of their function, and say which they are.
cat >lib.c <<'PROGRAM'
#define GLUE_(a, b) a##b
#define GLUE(a, b)  GLUE_(a, b)
void keep(void *bytes) __attribute__((noinline));
void keep(void *bytes) { __asm__ volatile("" : : "r"(bytes) : "memory"); }
__attribute__((noinline)) void GLUE(call_, K)(void (*say)(int), int n)
{
	volatile int k = 0;
	keep((void *)&k);
	for (int i = 0; i < n; i++) {
		for (int j = 0; j < 3000; j++)
			k += j * K;
		say(K);
	}
	keep((void *)&k);
}
PROGRAM
cat >reuse.c <<'PROGRAM'
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "wtrace.h"
struct wtrace_provider names = WTRACE_PROVIDER_INIT(names, "names");
static __attribute__((noinline)) void say(int n)
{
	wtrace_event(&names, "say", WTRACE_INFO, 1, wtrace_i32("n", n));
	__asm__ volatile("");
}
static int turns, count;
/* Returns how often a library lay where another one had; -1: a library is not there. */
static void *turn(void *start)
{
	unsigned seed = (unsigned)(uintptr_t)start, last = 0;
	intptr_t reused = 0;
	void *before = NULL;
	for (int i = 0; i < turns; i++) {
		char path[64], symbol[32];
		void *library, *address;
		void (*call)(void (*)(int), int);
		unsigned k = (seed = seed * 1103515245 + 12345) / 65536 % (unsigned)count;
		snprintf(path, sizeof(path), "./lib%u.so", k);
		snprintf(symbol, sizeof(symbol), "call_%u", k);
		library = dlopen(path, RTLD_NOW);
		if (!library)
			return (void *)-1;
		address = dlsym(library, symbol);
		*(void **)&call = address;
		reused += address == before && k != last;
		before = address;
		last = k;
		wtrace_event(&names, "begin", WTRACE_INFO, 1, wtrace_i32("n", (int)k));
		call(say, 1 + (int)(seed >> 8) % 60);
		wtrace_event(&names, "end", WTRACE_INFO, 1, wtrace_i32("n", (int)k));
		dlclose(library);
	}
	return (void *)reused;
}
/* reuse SEED TURNS LIBRARIES THREADS: prints how often a library lay where another one had. */
int main(int argc, char **argv)
{
	unsigned seed = (unsigned)atoi(argv[1]);
	int n = atoi(argv[4]);
	intptr_t reused = 0;
	pthread_t threads[16];
	(void)argc;
	turns = atoi(argv[2]);
	count = atoi(argv[3]);
	if (wtrace_register(&names))
		return 1;
	for (int i = 0; i < n; i++)
		if (pthread_create(&threads[i], NULL, turn, (void *)(uintptr_t)(seed + (unsigned)i * 7919)))
			return 2;
	for (int i = 0; i < n; i++) {
		void *ret;
		pthread_join(threads[i], &ret);
		if ((intptr_t)ret < 0)
			return 3;
		reused += (intptr_t)ret;
	}
	wtrace_unregister(&names);
	printf("%d\n", (int)reused);
	return 0;
}
PROGRAM

# The files: variant K of kind `none` (no build id), `own` (one of its own) and `same` (one for all).
for k in 0 1 2 3; do
	gcc -O1 -g -DK=$k -c work.c -o "work$k.o" || exit 1
	gcc -O1 -Wl,--build-id=none "work$k.o" -o "none.$k" || exit 1
	gcc -O1 -Wl,--build-id=sha1 "work$k.o" -o "own.$k" || exit 1
	gcc -O1 -Wl,--build-id=0x0123456789abcdef0123456789abcdef01234567 "work$k.o" -o "same.$k" || exit 1
	gcc -O1 -DK=$k -fPIC -shared -fno-omit-frame-pointer lib.c -o "lib$k.so" || exit 1
done
gcc -O1 -fno-omit-frame-pointer -Isdk reuse.c -o reuse -Lsdk -lwtrace -ldl -lpthread || exit 1

# reuse NAME OPTION...: programs that write while libraries come and go, of one thread and of several, two processes at a time
reuse() {
	what=$1 s=$(session "$points")
	shift
	check "$what: a session starts" wtrace start -s "$s" -p names:::stack -p pmu-profile,loader -F 1999 "$@" || return
	reused=0
	for threads in 1 3; do
		./reuse "$((round * 10 + threads + 5))" 60 4 2 >other &
		n=$(./reuse "$((round * 10 + threads))" 60 4 $threads) || n=0
		wait
		reused=$((reused + n))
	done
	check "$what: it stops" wtrace stop -s "$s" -o reuse.etl --force
	at_least "$what: libraries lay where others had lain" "$reused" 1
	wtrace dump reuse.etl --json --event names --event pmu-profile --event wtrace/lost --where "comm == 'reuse' || event == 'lost'" >reuse.json
	check "$what: no library is taken for another" python3 "$WT_ROOT/tests/integration/true_names.py" reuse reuse.json
	sed 's/^/# /' out
}

# files NAME SEED: programs whose files change
files() {
	s=$(session "$points")
	check "$1: a session starts" wtrace start -s "$s" -p pmu-profile,loader,proc_thread -F 1999
	check "$1: the programs run" python3 "$WT_ROOT/tests/integration/true_names.py" run "$2" truth.json
	check "$1: it stops" wtrace stop -s "$s" -o files.etl --force
	wtrace dump files.etl --json --event pmu-profile --event wtrace/lost >files.json
	check "$1: names are right" python3 "$WT_ROOT/tests/integration/true_names.py" files truth.json files.json
	sed 's/^/# /' out
	check "$1: other files take their places" python3 "$WT_ROOT/tests/integration/true_names.py" replace truth.json
	wtrace dump files.etl --json --event pmu-profile --event wtrace/lost >later.json
	check "$1: the names are right on another day" python3 "$WT_ROOT/tests/integration/true_names.py" files truth.json later.json
	diff files.json later.json | head -4
}

round=0
while [ "$round" -lt "$ROUNDS" ]; do
	round=$((round + 1))
	reuse "round $round"
	files "round $round" "$round"
done
done_testing
