/* SPDX-License-Identifier: MIT */
/** @file A ring directory in shared memory with a writer and a reader, for the ring's tests. */
#ifndef TESTS_UNIT_TRACECORE_RING_RING_FIXTURE_H
#define TESTS_UNIT_TRACECORE_RING_RING_FIXTURE_H

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/write_one.h"
#include "tracecore/ring/ring_reader.h"

#define FIXTURE_RINGS 64

struct fixture {
	char path[64];
	int dir_fd;
	struct wt_ring_spec spec;
	struct wt_ring_writer *w;
	struct wt_ring_directory *directory;
	struct wt_ring_reader *rings[FIXTURE_RINGS];
	unsigned n;
};

static inline struct wt_ring_writer *fixture_writer(const struct fixture *f)
{
	struct wt_ring_writer *w = aligned_alloc(64, wt_ring_writer_size());
	struct wt_err err = WT_ERR_INIT;

	assert_non_null(w);
	if (wt_ring_writer_init(w, open(f->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), &f->spec, f->path,
				&err))
		fail_msg("%s", err.text);
	return w;
}

static inline int fixture_added(void *ctx, struct wt_ring_reader *ring, struct wt_err *err)
{
	struct fixture *f = ctx;

	(void)err;
	assert_true(f->n < FIXTURE_RINGS);
	f->rings[f->n++] = ring;
	return 0;
}

static inline void fixture_refresh(struct fixture *f)
{
	struct wt_err err = WT_ERR_INIT;

	if (wt_ring_directory_refresh(f->directory, fixture_added, f, &err))
		fail_msg("%s", err.text);
}

static inline void fixture_open_directory(struct fixture *f)
{
	struct wt_err err = WT_ERR_INIT;

	f->n = 0;
	if (wt_ring_directory_open(f->dir_fd, geteuid(), f->path, &f->directory, &err))
		fail_msg("%s", err.text);
}

static inline void fixture_begin(struct fixture *f, uint32_t block_bytes, uint32_t max_blocks)
{
	memset(f, 0, sizeof(*f));
	snprintf(f->path, sizeof(f->path), "/dev/shm/wtringXXXXXX");
	assert_non_null(mkdtemp(f->path));
	f->dir_fd = open(f->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(f->dir_fd >= 0);
	f->spec = (struct wt_ring_spec){
		.block_bytes = block_bytes, .max_blocks = max_blocks, .counter = 1, .generation = 7};
	f->w = fixture_writer(f);
	fixture_open_directory(f);
}

static inline void fixture_end(struct fixture *f)
{
	DIR *dir;
	struct dirent *entry;

	wt_ring_writer_retire(f->w);
	wt_ring_directory_destroy(f->directory);
	dir = fdopendir(f->dir_fd);
	while ((entry = readdir(dir)))
		unlinkat(f->dir_fd, entry->d_name, 0);
	rmdir(f->path);
	closedir(dir);
	free(f->w);
}

/** A record whose payload tells its own number. */
static inline int fixture_write(struct wt_ring_writer *w, uint32_t provider, uint64_t number, uint32_t len)
{
	static uint8_t payload[70000];
	struct wt_abi_record head = {.provider = provider, .event = 3};

	memset(payload, (int)number, len);
	if (len >= 8)
		memcpy(payload, &number, 8);
	return write_one(w, &head, payload, len);
}

static inline uint64_t fixture_number(const struct wt_ring_record *record)
{
	uint64_t number;

	assert_true(record->body_len >= 8);
	memcpy(&number, record->body, 8);
	for (uint32_t i = 8; i < record->body_len; i++)
		assert_int_equal(record->body[i], (uint8_t)number);
	return number;
}

static inline void fixture_pin(void)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu() < 0 ? 0 : sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
}

#endif
