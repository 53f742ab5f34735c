#!/bin/sh
# SPDX-License-Identifier: MIT
# Stacks that programs walk themselves: without frame pointers, through libraries, by tables that a real session publishes
# while they run. Every event's stack is known from the program's text.
. "$(dirname "$0")/lib.sh"

SDK="$WT_ROOT/build/sdk"
mkdir sdk && cp "$SDK/libwtrace.so.0" "$SDK/libwtrace.so" "$SDK/libwtrace.a" "$SDK/wtrace.h" sdk/
export LD_LIBRARY_PATH="$TMP/sdk"

cat >stk.h <<'PROGRAM'
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "wtrace.h"
extern struct wtrace_provider app;
#define FRAME __attribute__((noinline))
#define SAY(NAME) do { wtrace_event(&app, NAME, WTRACE_INFO, 1); __asm__ volatile(""); } while (0)

/* The word that changes with each publication. */
static uint32_t published(void)
{
	char name[512];
	uint32_t word = 0;
	int fd;

	snprintf(name, sizeof(name), "%s/sessions", getenv("WTRACE_RUNTIME"));
	fd = open(name, O_RDONLY);
	if (fd >= 0 && pread(fd, &word, sizeof(word), 24) != sizeof(word))
		word = 0;
	close(fd);
	return word;
}

/* Writes until the session has published what is lacking here; gives up after 20 s, and the test will tell. */
static inline void settle(uint32_t seen)
{
	for (int i = 0; i < 2000 && published() == seen && !getenv("AT_ONCE"); i++) {
		SAY("lack");
		usleep(10000);
	}
}
PROGRAM
cat >stk.c <<'PROGRAM'
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include "stk.h"
#ifndef STATIC
#include <dlfcn.h>
#endif
struct wtrace_provider app = WTRACE_PROVIDER_INIT(app, "stk");

static FRAME int compare(const void *a, const void *b)
{
	SAY("quick");
	return *(const int *)a - *(const int *)b;
}
static FRAME void quick(void)
{
	int numbers[2] = {2, 1};
	qsort(numbers, 2, sizeof(*numbers), compare);
	__asm__ volatile("");
}
static void handle(int number)
{
	(void)number;
	SAY("handler");
}
static FRAME void interrupted(void)
{
	signal(SIGUSR1, handle);
	raise(SIGUSR1);
	__asm__ volatile("");
}
static void *run(void *unused)
{
	SAY("thread");
	return unused;
}
static FRAME void threads(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, run, NULL);
	pthread_join(thread, NULL);
}
static FRAME void forks(void)
{
	pid_t child = fork();
	if (!child) {
		SAY("child");
		_exit(0);
	}
	waitpid(child, NULL, 0);
}
static FRAME void settle_here(void)
{
	settle(published());
	__asm__ volatile("");
}
static FRAME void say_one(void) { SAY("one"); }
static FRAME void say_two(void) { SAY("two"); }
#ifndef STATIC
/* Two libraries that only differ in their frames, one after the other at the same place. */
static FRAME void plugin(const char *path, void (*say)(void))
{
	void *library = dlopen(path, RTLD_NOW);
	void (*work)(void (*)(void)), *address;

	*(void **)&work = dlsym(library, "work");
	address = *(void **)&work;
	work(settle_here);
	work(say);
	printf("%s at %p\n", path, address);
	usleep(200000); /* the library's events and the next one's arrival are far apart */
	dlclose(library);
}
#endif
int main(int argc, char **argv)
{
	(void)argc, (void)argv;
	wtrace_register(&app);
	settle(0);
	for (int i = 0; i < 10; i++) {
		quick();
		interrupted();
		threads();
		forks();
	}
#ifndef STATIC
	plugin(argv[1], say_one);
	plugin(argv[2], say_two);
	plugin(argv[1], say_one);
#else
	say_one();
	say_two();
#endif
	wtrace_unregister(&app);
	return 0;
}
PROGRAM
cat >plugin.c <<'PROGRAM'
void keep(void *bytes) __attribute__((noinline));
void keep(void *bytes) { __asm__ volatile("" : : "r"(bytes) : "memory"); }
void work(void (*say)(void))
{
	char bytes[PAD];
	keep(bytes);
	say();
	keep(bytes);
}
PROGRAM
cat >sort.cc <<'PROGRAM'
#include <algorithm>
#include <vector>
#include "stk.h"
struct wtrace_provider app = WTRACE_PROVIDER_INIT(app, "stk");
struct Less {
	FRAME bool operator()(int a, int b) const
	{
		SAY("sort");
		return a < b;
	}
};
FRAME int sorted()
{
	std::vector<int> numbers = {3, 1, 2};
	std::sort(numbers.begin(), numbers.end(), Less());
	return numbers[0];
}
int main()
{
	wtrace_register(&app);
	settle(0);
	int sum = sorted();
	wtrace_unregister(&app);
	return sum != 1;
}
PROGRAM

FLAGS='-O2 -fomit-frame-pointer -Isdk'
# shellcheck disable=SC2086
for cc in gcc clang; do
	check "$cc builds it" $cc $FLAGS stk.c -o "stk-$cc" -Lsdk -lwtrace -ldl -pthread
done
# shellcheck disable=SC2086
{
	check 'static' gcc $FLAGS -DSTATIC -static stk.c -o stk-static sdk/libwtrace.a -pthread
	check 'static and position independent' gcc $FLAGS -DSTATIC -static-pie stk.c -o stk-static-pie sdk/libwtrace.a -pthread
	check 'C++' g++ $FLAGS sort.cc -o sort -Lsdk -lwtrace -pthread
	check 'a library' gcc $FLAGS -DPAD=64 -fPIC -shared plugin.c -o one.so
	check 'and another one like it' gcc $FLAGS -DPAD=96 -fPIC -shared plugin.c -o two.so
}

# own EVENT MODULE...: the different stacks of an event, frames of these modules only, outermost first
own() {
	event=$1
	shift
	wtrace view app.etl --folded --where "provider == 'stk' && event == '$event'" 2>/dev/null | sed 's/ [0-9]*$//' |
		awk -v modules=" $* " -F';' '{
			line = ""
			for (i = 2; i <= NF; i++) {
				at = match($i, /:[^:]*$/)
				if (index(modules, " " substr($i, at + 1) " "))
					line = line " " substr($i, 1, at - 1)
			}
			print substr(line, 2)
		}' | sort -u
}
whole() {
	check "$1: view" wtrace view app.etl --group-by event --where "provider == 'stk' && event == '$2'"
	check_out "$1: every stack is complete" 'stacks +100\.00 % complete'
}
# record_stacks PROGRAM ARG...: where nobody has registered or published anything
record_stacks() {
	rm -rf "${WTRACE_RUNTIME:?}"/*
	check "$*" wtrace record -s "$(session "$points")" -p stk:::stack -o app.etl --force -- "$@"
	cp out said
}

# Of the functions between main and the event the test's own: a static program has libc's among them.
inner() {
	tr ' ' '\n' | awk '$1 == "main" { on = 1 } on && /^(main|quick|compare|interrupted|handle|forks)$/ { line = line " " $1 }
		END { print substr(line, 2) }'
}
for program in stk-gcc stk-clang stk-static stk-static-pie; do
	case $program in *static*) plugins='' ;; *) plugins="$TMP/one.so $TMP/two.so" ;; esac
	# shellcheck disable=SC2086
	record_stacks "$TMP/$program" $plugins
	for event in quick handler thread child one two; do whole "$program, $event" $event; done
	is "$program: through qsort" "$(own quick "$program" | inner)" 'main quick compare'
	is "$program: from the root" "$(own quick "$program" | cut -d' ' -f1)" _start
	is "$program: a signal handler" "$(own handler "$program" | inner)" 'main interrupted handle'
	is "$program: a thread" "$(own thread "$program" | awk '{ print $NF }')" run
	is "$program: a child" "$(own child "$program" | inner)" 'main forks'
done
record_stacks "$TMP/stk-gcc" "$TMP/one.so" "$TMP/two.so"
is 'libraries follow each other at one place' "$(sed 's/.* at //' said | sort -u | wc -l | tr -d ' ')" 1
is 'one: the library is in the stack' "$(own one stk-gcc one.so | sed 's/.* main/main/')" 'main plugin work say_one'
is 'two: the other one, with its own frame' "$(own two stk-gcc two.so | sed 's/.* main/main/')" 'main plugin work say_two'
record_stacks "$TMP/sort"
whole 'C++' sort
is 'C++: a comparison in std::sort' "$(own sort sort | grep -c 'main sorted.*Less::operator()')" 1

# A program that runs already has its tables before it writes anything.
cat >late.c <<'PROGRAM'
#include "stk.h"
struct wtrace_provider app = WTRACE_PROVIDER_INIT(app, "stk");
static FRAME int compare(const void *a, const void *b)
{
	SAY("late");
	return *(const int *)a - *(const int *)b;
}
int main(void)
{
	int numbers[2] = {2, 1};
	wtrace_register(&app);
	puts("waiting");
	fflush(stdout);
	while (getchar() != '\n')
		;
	qsort(numbers, 2, sizeof(*numbers), compare);
	wtrace_unregister(&app);
	return 0;
}
PROGRAM
# shellcheck disable=SC2086
check 'a program that waits' gcc $FLAGS late.c -o late -Lsdk -lwtrace
published() { [ "$(od -An -tu4 -j24 -N4 "$1/sessions" 2>/dev/null | tr -d ' ')" != 0 ]; }
# late NAME DIRECTORY CMD...: the program, whose words come from a pipe, in a session that finds it there
late() {
	what=$1 directory=$2
	shift 2
	rm -rf "${WTRACE_RUNTIME:?}"/* && rm -f words && mkfifo -m 666 words
	# shellcheck disable=SC2016
	background sh -c 'exec "$@" <words' sh "$@"
	exec 3>words
	check "$what: it has registered" wait_until 20 grep -q waiting background.out
	s=$(session "$points")
	check "$what: a session starts" wtrace start -s "$s" -p stk:::stack
	check "$what: it publishes unasked" wait_until 20 published "$directory"
	echo >&3
	exec 3>&-
	wait "$bg"
	check "$what: stop" wtrace stop -s "$s" -o app.etl --force
	whole "$what" late
	is "$what: its one event came through qsort" "$(own late late | grep -c '^_start .*main compare$')" 1
}
late 'one that waits' "$WTRACE_RUNTIME" "$TMP/late"
# Root's session makes tables for the programs of others with their rights, in their directories.
mkdir -m 700 wtrace-65534 && chown 65534:65534 wtrace-65534
late "another user's" "$TMP/wtrace-65534" setpriv --reuid=65534 --regid=65534 --clear-groups \
	env WTRACE_RUNTIME="$TMP/wtrace-65534" "$TMP/late"
is 'his tables are his' "$(stat -c %u wtrace-65534/unwind/* | sort -u)" 65534

# Two libraries that say one build id, with frames of two sizes, in one program.
for size in 1024 4096; do
	cat >twin.c <<PROGRAM
int pass_$size(int (*f)(void));
int pass_$size(int (*f)(void))
{
	volatile char room[$size];

	room[0] = 1;
	return f() + room[0];
}
PROGRAM
	check "a library with frames of $size bytes" gcc -O2 -fomit-frame-pointer -fPIC -shared \
		-Wl,--build-id=0x0102030405060708090a0b0c0d0e0f1011121314 twin.c -o "libtwin$size.so"
done
cat >twins.c <<'PROGRAM'
#include "stk.h"
struct wtrace_provider app = WTRACE_PROVIDER_INIT(app, "stk");
int pass_1024(int (*f)(void));
int pass_4096(int (*f)(void));
static FRAME int say(void)
{
	SAY("twin");
	return 1;
}
int main(void)
{
	uint32_t seen;
	int sum = 0;

	wtrace_register(&app);
	seen = published();
	SAY("lack");
	settle(seen);
	for (int i = 0; i < 100; i++)
		sum += pass_1024(say) + pass_4096(say);
	wtrace_unregister(&app);
	return sum == 400 ? 0 : 1;
}
PROGRAM
# shellcheck disable=SC2086
check 'a program with both' gcc $FLAGS twins.c -o twins -Lsdk -lwtrace -L. -ltwin1024 -ltwin4096 -Wl,-rpath,"$TMP"
record_stacks "$TMP/twins"
whole 'two libraries with one build id' twin
is 'through each of them' "$(own twin twins libtwin1024.so libtwin4096.so | sed 's/.* main/main/' | tr '\n' ';')" \
	'main pass_1024 say;main pass_4096 say;'

# Asked for frame pointers, a session publishes nothing.
rm -rf "${WTRACE_RUNTIME:?}"/*
check 'with --unwind=fp' env AT_ONCE=1 wtrace record -s "$(session fp)" --unwind=fp -p stk:::stack -o app.etl --force -- "$TMP/sort"
is 'its stack is that of frame pointers' "$(own sort sort | grep -c _start)" 0
is 'and no table was published' "$(ls "$WTRACE_RUNTIME/unwind" 2>/dev/null | wc -l | tr -d ' ')" 0
# A program that is gone before anybody can look at it: its tables are there before it runs, and those of an earlier run.
cat >short.c <<'PROGRAM'
#include "wtrace.h"
static struct wtrace_provider app = WTRACE_PROVIDER_INIT(app, "short");
static __attribute__((noinline)) void inner(int turn)
{
	wtrace_event(&app, "turn", WTRACE_INFO, 1, wtrace_i32("turn", turn));
	__asm__ volatile("");
}
int main(void)
{
	wtrace_register(&app);
	for (int i = 0; i < 3; i++)
		inner(i);
	wtrace_unregister(&app);
	return 0;
}
PROGRAM
gcc -O2 -fomit-frame-pointer -Isdk short.c -o short -Lsdk -lwtrace
cp short again && printf again >>again
complete() {
	wtrace dump "$1" --json --stack --event turn | python3 -c '
import json, sys
events = [json.loads(line) for line in sys.stdin]
print(len(events), *sorted({e["stack_status"] for e in events}), *sorted({f.get("function") for e in events for f in e["stack"][:2]}))'
}
export WTRACE_RUNTIME="$TMP/first"
check 'a short program, with stacks' wtrace record -p short --stackwalk=short -o short.etl -- ./short
is 'has whole ones from its first event' "$(complete short.etl)" '3 complete inner main'
export WTRACE_RUNTIME="$TMP/second"
check 'one without stacks' wtrace record -p short -o none.etl -- ./again
check 'a session that asks for them' wtrace start -p short --stackwalk=short -s again
check 'its next run' ./again
check 'ends' wtrace stop -s again -o again.etl
is 'has whole ones as well' "$(complete again.etl)" '3 complete inner main'
done_testing
