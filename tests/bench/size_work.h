/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Work whose events are written down by wtrace and by its peers alike, to compare the size of the files:
 * whoever includes this calls size_main with three functions that each write one event.
 *
 *   PROGRAM two THREADS EVENTS     each thread writes EVENTS events of two integers without a pause, as the
 *                                  peers' benchmark does
 *   PROGRAM sql SEED STATEMENTS    what a database writes: a statement's text, then a step per page read;
 *                                  gaps from 0.2 us to some ms, the same for the same SEED
 *   PROGRAM idle SECONDS           one event of two integers a second
 */
#ifndef TESTS_BENCH_SIZE_WORK_H
#define TESTS_BENCH_SIZE_WORK_H

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct size_work {
	void (*two)(int32_t a, int64_t b);
	void (*statement)(uint32_t connection, const char *sql, uint32_t rows, int32_t rc);
	void (*step)(uint32_t connection, const char *table, uint64_t page, uint32_t bytes);
};

static const struct size_work *size_work;
static int32_t size_events;

static void *size_thread(void *arg)
{
	for (int32_t i = 0; i < size_events; i++)
		size_work->two(i, (int64_t)(intptr_t)arg);
	return NULL;
}

static int size_two(unsigned threads)
{
	pthread_t all[64];

	if (threads > 64)
		return 2;
	for (unsigned i = 0; i < threads; i++)
		if (pthread_create(&all[i], NULL, size_thread, (void *)(intptr_t)i))
			return 1;
	for (unsigned i = 0; i < threads; i++)
		pthread_join(all[i], NULL);
	return 0;
}

static uint64_t size_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static uint64_t size_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Mostly a microsecond or so of work, now and then a disk that is waited for. */
static void size_gap(uint64_t *state)
{
	uint64_t r = size_random(state), ns = 200 + (r >> 8) % 1500, until;

	if (r % 64 == 0) {
		struct timespec nap = {.tv_nsec = (long)((r >> 8) % 3000000)};

		nanosleep(&nap, NULL);
		return;
	}
	for (until = size_now() + ns; size_now() < until;)
		;
}

static void size_statement(char *sql, size_t size, uint64_t *state)
{
	static const char *const forms[] = {
		"SELECT id, name, price FROM items WHERE id = %u",
		"SELECT count(*) FROM orders WHERE customer = %u AND state = 'open'",
		"INSERT INTO orders (customer, item, amount) VALUES (%u, ?, ?)",
		"UPDATE items SET stock = stock - 1 WHERE id = %u",
		"DELETE FROM sessions WHERE expires < %u",
		"BEGIN IMMEDIATE /* %u */",
		"COMMIT /* %u */",
		"SELECT o.id, i.name FROM orders o JOIN items i ON i.id = o.item WHERE o.customer = %u ORDER "
		"BY o.id",
	};
	uint64_t r = size_random(state);

	snprintf(sql, size, forms[r % (sizeof(forms) / sizeof(forms[0]))], (unsigned)(r >> 32) % 5000);
}

static int size_sql(uint64_t seed, uint32_t statements)
{
	static const char *const tables[] = {"items", "orders", "customers", "sessions", "sqlite_master"};
	uint64_t state = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15);
	char sql[160];

	for (uint32_t i = 0; i < statements; i++) {
		uint32_t connection = (uint32_t)size_random(&state) % 4;
		uint64_t steps = size_random(&state) % 12;

		for (uint64_t s = 0; s < steps; s++) {
			uint64_t r = size_random(&state);

			size_work->step(connection, tables[r % 5], (r >> 16) % 20000, 1u << (9 + r % 4));
			size_gap(&state);
		}
		size_statement(sql, sizeof(sql), &state);
		size_work->statement(connection, sql, (uint32_t)steps, steps == 11 ? -5 : 0);
		size_gap(&state);
	}
	return 0;
}

static int size_idle(unsigned seconds)
{
	for (unsigned i = 0; i < seconds; i++) {
		size_work->two((int32_t)i, 1);
		nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
	}
	return 0;
}

static int size_main(int argc, char **argv, const struct size_work *work)
{
	unsigned n = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : 0;

	size_work = work;
	size_events = argc > 3 ? (int32_t)strtol(argv[3], NULL, 0) : 0;
	if (argc == 4 && !strcmp(argv[1], "two"))
		return size_two(n);
	if (argc == 4 && !strcmp(argv[1], "sql"))
		return size_sql(n, (uint32_t)size_events);
	if (argc == 3 && !strcmp(argv[1], "idle"))
		return size_idle(n);
	fprintf(stderr, "usage: %s two THREADS EVENTS | sql SEED STATEMENTS | idle SECONDS\n", argv[0]);
	return 2;
}

#endif
