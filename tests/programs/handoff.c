// SPDX-License-Identifier: MIT
/* Four processes that hand work to each other at random, for tests of pauses. Times are those of the trace's
 *clock.
 *
 *	handoff SEED [ROUNDS]
 *
 * In each round the first process asks the second, which works, may ask the third in between, and so on, and
 * answers. To work is to run or to sleep. Questions and answers go through pipes, sockets or eventfds. The
 *seed decides everything but how long it takes. Each process prints what it did, between two moments at which
 *it ran:
 *
 *	pause TID FROM TO         the first one: a round
 *	did TID spin|sleep FROM TO
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PROCESSES = 4, KINDS = 3, READ = 0, WRITE = 1 };

static uint64_t seed;
static int rounds = 20;
/* How the process p asks p + 1, and is answered. */
static int asks[PROCESSES][KINDS][2], answers[PROCESSES][KINDS][2];

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* The same for all processes. */
static unsigned drawn(int round, int salt, unsigned n)
{
	uint64_t x = seed * 0x9e3779b97f4a7c15u + (uint64_t)round * 1000003 + (uint64_t)salt;

	for (int i = 0; i < 3; i++)
		x = (x ^ x >> 31) * 0xbf58476d1ce4e5b9u;
	return (unsigned)(x >> 32) % n;
}

static int last_of(int round)
{
	return 1 + (int)drawn(round, 1, PROCESSES - 1);
}

static void open_all(int channels[KINDS][2])
{
	int event = eventfd(0, 0);

	if (event < 0 || pipe(channels[0]) || socketpair(AF_UNIX, SOCK_STREAM, 0, channels[1]))
		exit(1);
	channels[2][READ] = channels[2][WRITE] = event;
}

static void put(int channels[KINDS][2], int round, int salt)
{
	const uint64_t one = 1;

	if (write(channels[drawn(round, salt, KINDS)][WRITE], &one, sizeof(one)) != sizeof(one))
		exit(1);
}

static void get(int channels[KINDS][2], int round, int salt)
{
	uint64_t one;

	if (read(channels[drawn(round, salt, KINDS)][READ], &one, sizeof(one)) != sizeof(one))
		exit(1);
}

static void work(int round, int salt)
{
	long us = 60 + (long)drawn(round, salt + 1, 900);
	const struct timespec ts = {0, us * 1000};
	uint64_t from = now();
	int sleeps = drawn(round, salt, 3) == 0;

	if (sleeps)
		nanosleep(&ts, NULL);
	else
		while (now() < from + (uint64_t)us * 1000)
			;
	printf("did %d %s %lu %lu\n", (int)getpid(), sleeps ? "sleep" : "spin", from, now());
}

/* Asks the next process, and waits for its answer. */
static void ask(int p, int round)
{
	put(asks[p], round, 100 + p);
	get(answers[p], round, 200 + p);
}

static void serve(int p)
{
	for (int round = 0; round < rounds; round++) {
		if (last_of(round) < p)
			continue;
		get(asks[p - 1], round, 100 + p - 1);
		work(round, 300 + 10 * p);
		if (last_of(round) > p) {
			ask(p, round);
			work(round, 400 + 10 * p);
		}
		put(answers[p - 1], round, 200 + p - 1);
	}
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	seed = strtoul(argv[1], NULL, 10);
	rounds = argc > 2 ? (int)strtoul(argv[2], NULL, 10) : rounds;
	for (int p = 0; p < PROCESSES; p++) {
		open_all(asks[p]);
		open_all(answers[p]);
	}
	for (int p = 1; p < PROCESSES; p++)
		if (!fork()) {
			serve(p);
			return fflush(stdout) ? 1 : 0;
		}
	for (int round = 0; round < rounds; round++) {
		uint64_t from = now();

		ask(0, round);
		printf("pause %d %lu %lu\n", (int)getpid(), from, now());
	}
	while (wait(NULL) > 0)
		;
	return 0;
}
