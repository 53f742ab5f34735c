// SPDX-License-Identifier: MIT
/* Works in known places for known spans of CPU time, and says which, as the threads' own clocks tell it.
 *
 *   loops loops SEED N MS
 *     N loops one after the other, each in a thread of its own named SEED-I, for MS ms: phase_a, phase_b and
 * phase_c in turn, 0.1 to 50 ms a turn, all by chance
 *
 *   loops threads SEED N US US
 *     N threads named SEED-t one after the other: phase_a for so many us, then phase_b
 *
 * Prints "THREAD FUNCTION NANOSECONDS" for each name and function, and at the end "SEED-p all NANOSECONDS" of
 * the whole process, so named. */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#ifdef __clang__ /* it makes no clones and does not know the word */
#define PLACE __attribute__((noinline))
#else
#define PLACE __attribute__((noinline, noclone))
#endif

enum { PHASES = 3 };

static volatile uint64_t sink;
static double steps_per_ns;

static uint64_t cpu_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* One place for each phase: the work is in it, not in what it calls. */
#define WORK                                      \
	uint64_t x = sink;                        \
	for (uint64_t i = 0; i < steps; i++)      \
		x = x * 6364136223846793005u + i; \
	sink = x

PLACE static void phase_a(uint64_t steps)
{
	WORK;
}

PLACE static void phase_b(uint64_t steps)
{
	WORK + 1;
}

PLACE static void phase_c(uint64_t steps)
{
	WORK + 2;
}

static void (*const phases[PHASES])(uint64_t) = {phase_a, phase_b, phase_c};
static const char *const names[PHASES] = {"phase_a", "phase_b", "phase_c"};

struct loop {
	char name[16];
	uint64_t ns[PHASES];   /* of one turn */
	uint64_t for_ns;       /* all turns together; 0: one turn */
	uint64_t used[PHASES]; /* what it came to */
};

static void *run(void *arg)
{
	struct loop *loop = arg;
	uint64_t begin = cpu_now(), at = begin;

	if (loop->name[0])
		prctl(PR_SET_NAME, loop->name);
	do {
		for (int i = 0; i < PHASES; i++) {
			uint64_t now;

			if (!loop->ns[i])
				continue;
			phases[i]((uint64_t)((double)loop->ns[i] * steps_per_ns));
			now = cpu_now();
			loop->used[i] += now - at;
			at = now;
		}
	} while (at - begin < loop->for_ns);
	return NULL;
}

static void run_thread(struct loop *loop)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run, loop))
		exit(1);
	pthread_join(thread, NULL);
}

static void print(const char *name, const struct loop *loop)
{
	for (int i = 0; i < PHASES; i++)
		if (loop->used[i])
			printf("%s %s %llu\n", name, names[i], (unsigned long long)loop->used[i]);
}

/* The fastest of a few: what interrupts it makes the phases longer, and the clock tells. */
static void calibrate(void)
{
	uint64_t steps = 1000000, best = UINT64_MAX;

	for (int i = 0; i < 5; i++) {
		uint64_t begin = cpu_now(), took;

		phase_c(steps);
		took = cpu_now() - begin;
		best = took < best ? took : best;
	}
	steps_per_ns = (double)steps / (double)best;
}

static double chance(void)
{
	return (double)random() / ((double)RAND_MAX + 1);
}

static void loops(unsigned seed, unsigned n, uint64_t ms)
{
	srandom(seed);
	for (unsigned i = 0; i < n; i++) {
		struct loop loop = {.for_ns = ms * 1000000};
		double length = 100000, parts[PHASES], sum = 0;

		/* 0.1 to 51.2 ms, as many short ones as long ones. */
		for (int k = (int)(chance() * 9); k > 0; k--)
			length *= 2;
		length *= 1 + chance();
		for (int k = 0; k < PHASES; k++)
			sum += parts[k] = 0.1 + chance();
		for (int k = 0; k < PHASES; k++)
			loop.ns[k] = (uint64_t)(length * parts[k] / sum);
		snprintf(loop.name, sizeof(loop.name), "%u-%u", seed, i);
		run_thread(&loop);
		print(loop.name, &loop);
	}
}

static void threads(unsigned seed, unsigned n, uint64_t a_us, uint64_t b_us)
{
	struct loop all = {.used = {0}};

	snprintf(all.name, sizeof(all.name), "%u-t", seed);
	for (unsigned i = 0; i < n; i++) {
		struct loop loop = {.ns = {a_us * 1000, b_us * 1000}};

		memcpy(loop.name, all.name, sizeof(loop.name));
		run_thread(&loop);
		for (int k = 0; k < PHASES; k++)
			all.used[k] += loop.used[k];
	}
	print(all.name, &all);
}

static unsigned number(const char *text)
{
	return (unsigned)strtoul(text, NULL, 10);
}

int main(int argc, char **argv)
{
	bool short_ones = argc == 6 && !strcmp(argv[1], "threads");
	struct timespec used;
	char name[16];

	if (!short_ones && (argc != 5 || strcmp(argv[1], "loops") != 0))
		return 2;
	snprintf(name, sizeof(name), "%u-p", number(argv[2]));
	prctl(PR_SET_NAME, name);
	calibrate();
	if (short_ones)
		threads(number(argv[2]), number(argv[3]), number(argv[4]), number(argv[5]));
	else
		loops(number(argv[2]), number(argv[3]), number(argv[4]));
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	printf("%s all %llu\n", name,
	       (unsigned long long)used.tv_sec * 1000000000 + (unsigned long long)used.tv_nsec);
	return 0;
}
