/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What the ring's stress programs share: a ring directory in shared memory, a session that reads it, records
 * that show whether they are whole, and TAP output.
 */
#ifndef TESTS_STRESS_STRESS_H
#define TESTS_STRESS_STRESS_H

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracecore/base/clock.h"
#include "tracecore/ring/ring_reader.h"

/** Longest payload of a record that goes through stress_payload, in words. */
#define STRESS_WORDS 9000u

struct stress {
	char path[64];
	int dir_fd;
	struct wt_ring_spec spec;
	struct wt_ring_directory *directory;
	struct wt_ring_reader **rings;
	unsigned n;
};

static int points, failures;

static inline void point(int good, const char *name)
{
	printf("%sok %d - %s\n", good ? "" : "not ", ++points, name);
	failures += !good;
	fflush(stdout);
}

static inline void give_up(const char *what, const struct wt_err *err)
{
	printf("Bail out! %s: %s\n", what, err->text);
	exit(1);
}

static inline uint64_t stress_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/** Fills words with what only record `number` of `writer` has. */
static inline void stress_payload(uint64_t *words, uint32_t n, uint64_t writer, uint64_t number)
{
	words[0] = number;
	words[1] = writer;
	for (uint32_t i = 2; i < n; i++)
		words[i] = number * UINT64_C(0x9e3779b97f4a7c15) + writer * 31 + i;
}

/** The record is whole. */
static inline int stress_whole(const struct wt_ring_record *record, uint64_t *writer, uint64_t *number)
{
	static uint64_t words[STRESS_WORDS], expected[STRESS_WORDS];
	uint32_t n = record->body_len / 8;

	if (record->body_len % 8 || n < 2 || n > STRESS_WORDS)
		return 0;
	memcpy(words, record->body, record->body_len);
	*number = words[0];
	*writer = words[1];
	stress_payload(expected, n, *writer, *number);
	return !memcmp(words, expected, record->body_len);
}

static inline int stress_added(void *ctx, struct wt_ring_reader *ring, struct wt_err *err)
{
	struct stress *s = ctx;

	(void)err;
	s->rings = realloc(s->rings, (s->n + 1) * sizeof(struct wt_ring_reader *));
	s->rings[s->n++] = ring;
	return 0;
}

static inline void stress_refresh(struct stress *s)
{
	struct wt_err err = WT_ERR_INIT;

	if (wt_ring_directory_refresh(s->directory, stress_added, s, &err))
		give_up("refresh", &err);
}

/** Losses that have not been told before, of all rings and causes. */
static inline uint64_t stress_losses(const struct stress *s)
{
	struct wt_ring_loss loss[64];
	uint64_t sum = 0;

	for (unsigned i = 0; i < s->n; i++)
		for (size_t n = wt_ring_reader_losses(s->rings[i], loss, 64); n; n--)
			sum += loss[n - 1].count;
	return sum;
}

static inline void stress_begin(struct stress *s, const struct wt_ring_spec *spec)
{
	struct wt_err err = WT_ERR_INIT;

	*s = (struct stress){.path = "/dev/shm/wtstressXXXXXX", .spec = *spec};
	if (!mkdtemp(s->path))
		exit(1);
	s->dir_fd = open(s->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (wt_ring_directory_open(s->dir_fd, geteuid(), s->path, &s->directory, &err))
		give_up("directory", &err);
}

static inline struct wt_ring_writer *stress_writer(const struct stress *s)
{
	struct wt_ring_writer *w = aligned_alloc(64, wt_ring_writer_size());
	struct wt_err err = WT_ERR_INIT;

	if (!w || wt_ring_writer_init(w, open(s->path, O_RDONLY | O_DIRECTORY), &s->spec, s->path, &err))
		give_up("writer", &err);
	return w;
}

/** Gives every record there is to fn. */
static inline uint64_t stress_drain(struct stress *s, void (*fn)(struct wt_ring_reader *ring,
								 const struct wt_ring_record *record))
{
	struct wt_ring_record record;
	uint64_t total = 0;

	stress_refresh(s);
	for (unsigned i = 0; i < s->n; i++) {
		/* A bound: writers may be as fast as we are. */
		for (int blocks = 0; blocks < 512; blocks++) {
			uint64_t n = 0;

			wt_ring_reader_refresh(s->rings[i]);
			for (; !wt_ring_reader_peek(s->rings[i], &record); n++) {
				fn(s->rings[i], &record);
				wt_ring_reader_pop(s->rings[i]);
			}
			wt_ring_reader_release(s->rings[i], wt_clock_now());
			total += n;
			if (!n)
				break;
		}
	}
	return total;
}

static inline uint64_t stress_damage(const struct stress *s)
{
	struct wt_ring_facts facts;
	uint64_t sum = 0;

	for (unsigned i = 0; i < s->n; i++) {
		wt_ring_reader_facts(s->rings[i], &facts);
		sum += facts.damaged;
	}
	return sum;
}

static inline void stress_end(struct stress *s)
{
	struct dirent *entry;
	DIR *dir;

	wt_ring_directory_destroy(s->directory);
	dir = fdopendir(s->dir_fd);
	while ((entry = readdir(dir)))
		unlinkat(s->dir_fd, entry->d_name, 0);
	closedir(dir);
	rmdir(s->path);
	free(s->rings);
}

#endif
