/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A program that writes events of two integers, the same for wtrace and for its peers: whoever includes this
 * calls writer_main with a function that writes.
 *
 *   PROGRAM rate WRITERS RATE SECONDS   each of WRITERS threads writes RATE events a second, a thousandth of
 *                                       them every millisecond; RATE 0: without a pause. Prints
 *                                       {"produced": N, "seconds": S}.
 *   PROGRAM until-killed FILE SLOT      writes without a pause; the 8-byte word SLOT of FILE says how many
 *                                       events have been written for sure.
 */
#ifndef TESTS_BENCH_WRITER_H
#define TESTS_BENCH_WRITER_H

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define WRITER_MOST  64
#define WRITER_BURST 4096

/** Writes the events {writer, n} with from <= n < to. */
typedef void writer_emit(uint32_t writer, uint32_t from, uint32_t to);

static struct {
	writer_emit *emit;
	uint64_t rate, until, produced[WRITER_MOST];
} writer_work;

static inline uint64_t writer_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static inline void writer_sleep_until(uint64_t ns)
{
	struct timespec t = {.tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000)};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
}

/* A writer that comes late makes up for it: the rate holds over the whole time, or the writer cannot do it.
 */
static inline void *writer_thread(void *arg)
{
	uint32_t writer = (uint32_t)(uintptr_t)arg, n = 0;
	uint64_t start = writer_now(), now = start;

	while (now < writer_work.until) {
		uint64_t due = writer_work.rate ? (now - start) * writer_work.rate / 1000000000
						: n + WRITER_BURST;

		writer_work.emit(writer, n, (uint32_t)due);
		n = (uint32_t)due;
		if (writer_work.rate)
			writer_sleep_until(now + 1000000);
		now = writer_now();
	}
	writer_work.produced[writer] = n;
	return NULL;
}

static inline int writer_rate(unsigned writers, uint64_t rate, double seconds)
{
	pthread_t threads[WRITER_MOST];
	uint64_t from = writer_now(), sum = 0;

	writer_work.rate = rate;
	writer_work.until = from + (uint64_t)(seconds * 1e9);
	for (unsigned i = 0; i < writers; i++)
		if (pthread_create(&threads[i], NULL, writer_thread, (void *)(uintptr_t)i))
			return 1;
	for (unsigned i = 0; i < writers; i++) {
		pthread_join(threads[i], NULL);
		sum += writer_work.produced[i];
	}
	printf("{\"produced\": %llu, \"seconds\": %.6f}\n", (unsigned long long)sum,
	       (double)(writer_now() - from) / 1e9);
	return 0;
}

static inline int writer_until_killed(const char *path, uint32_t slot)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	volatile uint64_t *told = fd < 0 ? MAP_FAILED
					 : mmap(NULL, (slot + 1) * sizeof(*told), PROT_READ | PROT_WRITE,
						MAP_SHARED, fd, 0);

	if (told == MAP_FAILED)
		return 1;
	for (uint32_t n = 0;; n++) {
		writer_work.emit(slot, n, n + 1);
		told[slot] = n + 1;
	}
}

static inline int writer_main(int argc, char **argv, writer_emit *emit)
{
	unsigned writers = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : 0;

	writer_work.emit = emit;
	if (argc == 5 && !strcmp(argv[1], "rate") && writers && writers <= WRITER_MOST)
		return writer_rate(writers, strtoull(argv[3], NULL, 0), strtod(argv[4], NULL));
	if (argc == 4 && !strcmp(argv[1], "until-killed"))
		return writer_until_killed(argv[2], (uint32_t)strtoul(argv[3], NULL, 0));
	fprintf(stderr, "usage: %s rate WRITERS RATE SECONDS | until-killed FILE SLOT\n", argv[0]);
	return 2;
}

#endif
