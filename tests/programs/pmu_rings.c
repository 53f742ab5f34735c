// SPDX-License-Identifier: MIT
/* Rings the scripted PMU: pmu_rings ROUNDS [THREADS [wait]]. With "wait" the threads are there first, and
 * ring when standard input ends. Thread T (from 1) calls ring_hot and ring_cold ROUNDS times each. One call
 * in thread T is T times: in ring_hot 3000 of event 0x200 in user mode and 1000 in the kernel, 6000 of 0x201;
 * in ring_cold 1000 of 0x200 and 500 of 0x201, in user mode. Where the law of time is off, cpu_cycles (0x11)
 * are as 0x200 and inst_retired (0x08) as 0x201, and there are in
 * user mode 6000 of inst_spec (0x1b), 3000 of ld_spec (0x70), 1000 of st_spec (0x71) and 12000 of
 * stall_slot_frontend (0x3e) in ring_hot, and 4000, 1000, 2000 and 6000 of them in ring_cold. Prints what
 * each thread rang: its number, its id, 0x200 user, 0x200 kernel, 0x201. */
#include "tests/programs/pmu_rings.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MAX_THREADS = 64 };

struct thread {
	pthread_t thread;
	unsigned number;
	pid_t id;
	int failed;
};

static int device;
static unsigned long rounds;
static pthread_barrier_t begin;

static void wait_for_end_of_input(void)
{
	char byte;

	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
}

__attribute__((noinline)) static long ring_hot(uint64_t times)
{
	struct scripted_ring rings[] = {{.event = 0x200, .user = 3000 * times, .kernel = 1000 * times},
					{.event = 0x201, .user = 6000 * times},
					{.event = 0x11, .user = 3000 * times, .kernel = 1000 * times},
					{.event = 0x08, .user = 6000 * times},
					{.event = 0x1b, .user = 6000 * times},
					{.event = 0x70, .user = 3000 * times},
					{.event = 0x71, .user = 1000 * times},
					{.event = 0x3e, .user = 12000 * times}};
	long ret;

	RING_HERE(device, rings, ret);
	return ret;
}

__attribute__((noinline)) static long ring_cold(uint64_t times)
{
	struct scripted_ring rings[] = {
		{.event = 0x200, .user = 1000 * times}, {.event = 0x201, .user = 500 * times},
		{.event = 0x11, .user = 1000 * times},  {.event = 0x08, .user = 500 * times},
		{.event = 0x1b, .user = 4000 * times},  {.event = 0x70, .user = 1000 * times},
		{.event = 0x71, .user = 2000 * times},  {.event = 0x3e, .user = 6000 * times}};
	long ret;

	RING_HERE(device, rings, ret);
	return ret;
}

static void *ring_rounds(void *argument)
{
	struct thread *t = argument;

	t->id = gettid();
	pthread_barrier_wait(&begin);
	for (unsigned long i = 0; i < rounds; i++)
		t->failed |= ring_hot(t->number) < 0 || ring_cold(t->number) < 0;
	return NULL;
}

int main(int argc, char **argv)
{
	static struct thread threads[MAX_THREADS];
	unsigned long n = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
	int failed = 0;

	rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	if (!rounds || !n || n > MAX_THREADS) {
		fprintf(stderr, "usage: pmu_rings ROUNDS [THREADS [wait]]\n");
		return 2;
	}
	device = open(RING_DEVICE, O_WRONLY | O_CLOEXEC);
	if (device < 0) {
		perror("pmu_rings: " RING_DEVICE);
		return 1;
	}
	pthread_barrier_init(&begin, NULL, (unsigned)n + 1);
	for (unsigned i = 0; i < n; i++) {
		threads[i].number = i + 1;
		if (pthread_create(&threads[i].thread, NULL, ring_rounds, &threads[i]))
			return 1;
	}
	if (argc > 3)
		wait_for_end_of_input();
	pthread_barrier_wait(&begin);
	for (unsigned i = 0; i < n; i++) {
		struct thread *t = &threads[i];

		pthread_join(t->thread, NULL);
		failed |= t->failed;
		printf("%u %d %lu %lu %lu\n", t->number, t->id, 4000 * rounds * t->number,
		       1000 * rounds * t->number, 6500 * rounds * t->number);
	}
	return failed;
}
