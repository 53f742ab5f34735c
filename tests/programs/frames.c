// SPDX-License-Identifier: MIT
/*
 * Stacks that are hard to get right, and the truth about them: frames SECONDS[c] THREADS SEED TRUTH.
 *
 * Each thread spins in a function with a large frame (1 to 200 KB, some of it never written), which one of
 * three callers called, for a random time of 1 ms to 1 s; the callers' frames are alike, so that only the
 * return address above the large frame tells them apart. Some calls are the end of a recursion. Signals
 * interrupt the threads while they are in a caller, and only then; in every second one on a stack of its own.
 * TRUTH gets a line for each call: thread id, begin and end on the trace's clock in ns, the caller, and KB of
 * the frame. With "c" the seconds are those of CPU time, so that as many samples come whatever else runs.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* One function, one frame. */
#ifdef __clang__ /* it makes no clones and does not know the word */
#define ALONE __attribute__((noinline))
#else
#define ALONE __attribute__((noinline, noclone))
#endif

enum { MOST_THREADS = 16, ALTERNATE = 64 << 10, RECURSIONS = 20 };

struct call {
	uint64_t begin, end;
	char caller;
	int kb;
};

struct worker {
	pthread_t thread;
	int number;
	unsigned seed;
	pid_t tid;
	struct call *calls;
	size_t n, cap;
};

static struct worker workers[MOST_THREADS];
static volatile uint64_t stop_at;
static volatile uint64_t sink;

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

ALONE static void spin_here(uint64_t until)
{
	while (now() < until && now() < stop_at)
		for (int i = 0; i < 200; i++)
			sink = sink * 6364136223846793005 + 1;
}

ALONE static void on_signal(int number)
{
	(void)number;
	spin_here(now() + 1000000);
	sink++;
}

/* Part of the frame is left as it was: pages of it may never have been touched. */
#define LARGE(kb)                                             \
	ALONE static void large_##kb(uint64_t until)          \
	{                                                     \
		volatile char room[kb << 10];                 \
                                                              \
		for (int i = 0; i < (kb << 10) / 3; i += 512) \
			room[i] = (char)i;                    \
		spin_here(until);                             \
		sink += (uint64_t)room[0];                    \
	}
LARGE(1)
LARGE(4)
LARGE(16)
LARGE(64)
LARGE(130)
LARGE(200)

static const struct {
	void (*fn)(uint64_t until);
	int kb;
} larges[] = {{large_1, 1}, {large_4, 4}, {large_16, 16}, {large_64, 64}, {large_130, 130}, {large_200, 200}};

ALONE static void recurse(int depth, int which, uint64_t until)
{
	if (depth)
		recurse(depth - 1, which, until);
	else
		larges[which].fn(until);
	sink++;
}

/* A handler that ran between two calls would spin in a span whose caller has returned. */
static void take_signals(int how)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	if (pthread_sigmask(how, &set, NULL))
		abort();
}

#define CALLER(letter)                                                          \
	ALONE static void caller_##letter(int depth, int which, uint64_t until) \
	{                                                                       \
		take_signals(SIG_UNBLOCK);                                      \
		recurse(depth, which, until);                                   \
		take_signals(SIG_BLOCK);                                        \
		sink += #letter[0];                                             \
	}
CALLER(a)
CALLER(b)
CALLER(c)

static void (*const callers[])(int depth, int which, uint64_t until) = {caller_a, caller_b, caller_c};

static unsigned draw(struct worker *w, unsigned n)
{
	return (unsigned)rand_r(&w->seed) % n;
}

/* 1 ms to 1 s, each power of two as often as the others: most are short. */
static uint64_t length(struct worker *w)
{
	uint64_t base = UINT64_C(1000000) << draw(w, 10);

	return base + base * draw(w, 1000) / 1000;
}

static void call_one(struct worker *w)
{
	unsigned which = draw(w, sizeof(larges) / sizeof(larges[0])), caller = draw(w, 3);
	int depth = draw(w, 4) ? 0 : (int)draw(w, RECURSIONS);
	uint64_t begin = now(), until = begin + length(w), end;

	if (until > stop_at)
		until = stop_at;
	callers[caller](depth, (int)which, until);
	end = now();
	if (w->n == w->cap) {
		w->cap = w->cap ? w->cap * 2 : 1024;
		w->calls = realloc(w->calls, w->cap * sizeof(*w->calls));
		if (!w->calls)
			abort();
	}
	w->calls[w->n++] = (struct call){begin, end, (char)('a' + caller), larges[which].kb};
}

static void *work(void *ctx)
{
	struct worker *w = ctx;
	stack_t stack = {.ss_size = ALTERNATE, .ss_sp = malloc(ALTERNATE)};

	__atomic_store_n(&w->tid, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
	if (!stack.ss_sp || (w->number % 2 && sigaltstack(&stack, NULL)))
		abort();
	while (now() < stop_at)
		call_one(w);
	return NULL;
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK | SA_RESTART};
	int n = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 0;
	unsigned seed = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 0;
	double seconds;
	char *rest;
	FILE *truth;

	if (argc != 5 || n < 1 || n > MOST_THREADS)
		return 2;
	seconds = strtod(argv[1], &rest);
	sigaction(SIGUSR1, &action, NULL);
	take_signals(SIG_BLOCK);
	stop_at = *rest == 'c' ? UINT64_MAX : now() + (uint64_t)(seconds * 1e9);
	for (int i = 0; i < n; i++) {
		workers[i].number = i;
		workers[i].seed = seed * 1000 + (unsigned)i;
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
			return 1;
	}
	while (*rest == 'c' ? cpu_seconds() < seconds : now() + 100000000 < stop_at) {
		const struct timespec pause = {.tv_nsec = 20000000};

		nanosleep(&pause, NULL);
		pthread_kill(workers[(unsigned)rand_r(&seed) % (unsigned)n].thread, SIGUSR1);
	}
	stop_at = stop_at < now() ? stop_at : now();
	truth = fopen(argv[4], "w");
	for (int i = 0; i < n; i++) {
		pthread_join(workers[i].thread, NULL);
		for (size_t k = 0; truth && k < workers[i].n; k++)
			fprintf(truth, "%d %llu %llu %c %d\n", (int)workers[i].tid,
				(unsigned long long)workers[i].calls[k].begin,
				(unsigned long long)workers[i].calls[k].end, workers[i].calls[k].caller,
				workers[i].calls[k].kb);
	}
	return truth && !fclose(truth) ? 0 : 1;
}
