/* SPDX-License-Identifier: MIT */
/* Burns CPU in known functions: busy SECONDS [THREADS]. About three quarters of the time in spin_hot, called
 * by work_outer, and one quarter in spin_warm; system calls are rare. Prints "ready" when it starts
 * to burn. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile uint64_t sink;
static double seconds;

__attribute__((noinline)) static uint64_t spin_hot(uint64_t seed)
{
	for (int i = 0; i < 3000000; i++)
		seed = seed * 6364136223846793005u + 1442695040888963407u;
	return seed;
}

__attribute__((noinline)) static uint64_t spin_warm(uint64_t seed)
{
	for (int i = 0; i < 1000000; i++)
		seed = seed * 6364136223846793005u + 1442695040888963407u;
	return seed;
}

__attribute__((noinline)) static void work_outer(uint64_t *seed)
{
	*seed = spin_hot(*seed);
	*seed = spin_warm(*seed);
}

static double thread_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void *burn(void *unused)
{
	uint64_t seed = 1;

	(void)unused;
	while (thread_seconds() < seconds)
		for (int i = 0; i < 16; i++)
			work_outer(&seed);
	sink = seed;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[64];
	long n = argc > 2 ? strtol(argv[2], NULL, 10) : 1;

	seconds = argc > 1 ? strtod(argv[1], NULL) : 0;
	if (seconds <= 0 || n < 1 || n > 64) {
		fprintf(stderr, "usage: busy SECONDS [THREADS, at most 64]\n");
		return 2;
	}
	puts("ready");
	fflush(stdout);
	for (long i = 0; i < n; i++)
		if (pthread_create(&threads[i], NULL, burn, NULL))
			return 1;
	for (long i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
