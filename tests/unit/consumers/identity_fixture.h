/* SPDX-License-Identifier: MIT */
/* An identity, and what the kernel may tell it, in one line each. */
#ifndef TESTS_UNIT_CONSUMERS_IDENTITY_FIXTURE_H
#define TESTS_UNIT_CONSUMERS_IDENTITY_FIXTURE_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "consumers/record/identity.h"
#include "tracecore/base/clock.h"
#include "tracecore/event.h"

#define BOUND (UINT64_C(64) << 20)

static struct wt_identity id;

static inline int setup(void **state)
{
	(void)state;
	return wt_identity_init(&id, BOUND);
}

static inline int teardown(void **state)
{
	(void)state;
	wt_identity_deinit(&id);
	return id.images.bytes || id.tasks.bytes ? -1 : 0;
}

static inline enum wt_news proc(uint16_t kind, uint32_t pid, uint32_t parent, const char *name, uint64_t time)
{
	struct wt_proc_payload payload = {.pid = pid,
					  .tid = pid,
					  .parent_pid = parent,
					  .parent_tid = parent,
					  .uid = UINT32_MAX,
					  .name = wt_str(name)};

	return wt_identity_proc(&id, kind, &payload, time);
}

static inline enum wt_news thread(uint16_t kind, uint32_t pid, uint32_t tid, const char *name, uint64_t time)
{
	struct wt_proc_payload payload = {
		.pid = pid, .tid = tid, .parent_pid = pid, .parent_tid = pid, .name = wt_str(name)};

	return wt_identity_proc(&id, kind, &payload, time);
}

static inline enum wt_news rundown(uint32_t pid, const char *name, uint64_t start, uint64_t time)
{
	struct wt_proc_payload payload = {.pid = pid,
					  .tid = pid,
					  .parent_pid = 1,
					  .start_time = start,
					  .uid = 1000,
					  .name = wt_str(name),
					  .exe = wt_str("/bin/exe")};

	return wt_identity_proc(&id, WT_PROC_RUNDOWN, &payload, time);
}

static inline enum wt_news image(uint16_t kind, uint32_t pid, uint64_t address, uint64_t size,
				 const char *path)
{
	struct wt_image_payload payload = {
		.pid = pid, .tid = pid, .address = address, .size = size, .path = wt_str(path)};

	return wt_identity_image(&id, kind, &payload, 0);
}

static inline void expect_name(uint32_t pid, uint32_t tid, uint64_t time, const char *name)
{
	const struct wt_thread *t = wt_identity_thread(&id, pid, tid, time);

	assert_non_null(t);
	assert_int_equal(t->tid, tid);
	assert_int_equal(t->process->pid, pid);
	assert_int_equal(t->name.len, strlen(name));
	assert_memory_equal(t->name.text, name, strlen(name));
}

static inline void expect_image(uint32_t pid, uint64_t address, const char *path)
{
	struct wt_process *process = wt_tasks_process(&id.tasks, pid);
	const struct wt_range *range;

	assert_non_null(process);
	range = wt_space_find(process->space, address);
	if (!path) {
		assert_null(range);
		return;
	}
	assert_non_null(range);
	assert_int_equal(range->image->path_len, strlen(path));
	assert_memory_equal(range->image->path, path, strlen(path));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

#endif
