// SPDX-License-Identifier: MIT
#include "consumers/unwind/unseen.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "consumers/record/task_probe.h"
#include "tracecore/base/clock.h"

enum { RANGES = 80, STEP = 0x1000, MAX_FRAMES = 2 * RANGES };

static struct wt_image_set images;
static struct wt_space *space;
static struct wt_unseen unseen;
static struct wt_living living;
static uint64_t pcs[MAX_FRAMES];
static struct wt_walk_frames frames = {.pc = pcs};

/* What was asked, and which address has other bytes. */
static uint32_t n_questions, n_asked;
static uint64_t other;
static pid_t to_kill;

static void look(uint32_t pid, struct wt_unseen_range *ranges, uint32_t n)
{
	(void)pid;
	assert_true(n && n <= WT_UNSEEN_MOST);
	n_questions++;
	n_asked += n;
	for (uint32_t i = 0; i < n; i++) {
		assert_int_equal(ranges[i].end - ranges[i].start, STEP);
		ranges[i].is_files = other < ranges[i].start || other >= ranges[i].end;
	}
	if (!to_kill)
		return;
	kill(to_kill, SIGKILL);
	assert_int_equal(waitpid(to_kill, NULL, 0), to_kill);
	to_kill = 0;
}

static uint64_t start_of(unsigned i)
{
	return (uint64_t)(i + 1) * STEP;
}

static int setup(void **state)
{
	struct wt_image_payload payload = {.path = {"/a", 2}, .inode = 1};

	(void)state;
	space = wt_space_create(&images);
	for (unsigned i = 0; i < RANGES; i++) {
		/* Neighbours differ in their bias, or they would be one. */
		struct wt_range range = {.start = start_of(i),
					 .end = start_of(i) + STEP,
					 .bias = i % 2,
					 .image = wt_image_set_get(&images, &payload, 0),
					 .unseen = true};

		assert_int_equal(wt_space_map(&space, &images, &range), 0);
		wt_image_set_put(&images, range.image);
	}
	memset(&unseen, 0, sizeof(unseen));
	n_questions = n_asked = 0;
	other = 0;
	frames.result.n = 0;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	wt_living_deinit(&living);
	wt_space_put(space, &images);
	wt_image_set_deinit(&images);
	return 0;
}

static struct wt_unwind_task task_of(uint32_t pid)
{
	struct wt_unwind_task task = {.pid = pid, .tid = pid, .space = space};
	struct wt_task_probe probe;
	struct wt_proc_payload now;

	assert_int_equal(wt_task_probe(&probe, pid, &now), 0);
	task.start_time = now.start_time;
	return task;
}

static void add_frame(uint64_t pc)
{
	assert_true(frames.result.n < MAX_FRAMES);
	pcs[frames.result.n++] = pc;
}

static bool is_in(const struct wt_unwind_task *task)
{
	return wt_unseen_in(&unseen, look, &living, task, &frames);
}

static pid_t start_child(void)
{
	pid_t child = fork();

	if (!child) {
		pause();
		_exit(0);
	}
	assert_true(child > 0);
	return child;
}

/* A stack's mappings are one question, each once; what was found is not asked again. */
static void test_together(void **state)
{
	struct wt_unwind_task task = task_of((uint32_t)getpid());

	(void)state;
	assert_false(is_in(&task));
	for (unsigned i = 0; i < 3; i++)
		for (int twice = 0; twice < 2; twice++)
			add_frame(start_of(i) + 8);
	assert_false(is_in(&task));
	assert_int_equal(n_questions, 1);
	assert_int_equal(n_asked, 3);
	assert_false(is_in(&task));
	assert_int_equal(n_questions, 1);
	/* The return address behind a call that ends its mapping. */
	add_frame(start_of(4));
	assert_false(is_in(&task));
	assert_int_equal(n_asked, 5);
	assert_false(wt_space_look(space, start_of(3))->unseen);
	assert_true(wt_space_look(space, start_of(5))->unseen);
}

/* More than one question can hold. */
static void test_many(void **state)
{
	struct wt_unwind_task task = task_of((uint32_t)getpid());

	(void)state;
	for (unsigned i = 0; i < RANGES; i++)
		add_frame(start_of(i) + 8);
	assert_false(is_in(&task));
	assert_int_equal(n_questions, (RANGES + WT_UNSEEN_MOST - 1) / WT_UNSEEN_MOST);
	assert_int_equal(n_asked, RANGES);
	assert_false(space->unseen);
}

/* Other bytes are found, and those that are the file's are not asked again for it. */
static void test_other_bytes(void **state)
{
	struct wt_unwind_task task = task_of((uint32_t)getpid());

	(void)state;
	other = start_of(1) + 16;
	for (unsigned i = 0; i < 3; i++)
		add_frame(start_of(i) + 8);
	assert_true(is_in(&task));
	assert_false(wt_space_look(space, start_of(0))->unseen);
	assert_true(wt_space_look(space, start_of(1))->unseen);
	assert_false(wt_space_look(space, start_of(2))->unseen);
	assert_true(is_in(&task));
	assert_int_equal(n_questions, 2);
	assert_int_equal(n_asked, 4);
	assert_true(wt_unseen_in(&unseen, NULL, &living, &task, &frames));
	assert_int_equal(n_questions, 2);
}

/* A process that has ended, or another one that has its number, is asked nothing; the answer about one that
 * ended meanwhile proves nothing. */
static void test_ended(void **state)
{
	struct wt_unwind_task own = task_of((uint32_t)getpid()), task;
	pid_t child = start_child();

	(void)state;
	task = task_of((uint32_t)child);
	add_frame(start_of(0) + 8);
	to_kill = child;
	assert_true(is_in(&task));
	assert_int_equal(n_questions, 1);
	for (int i = 0; i < 100; i++)
		assert_true(is_in(&task));
	assert_int_equal(n_questions, 1);
	assert_true(wt_space_look(space, start_of(0))->unseen);

	own.start_time += 5 * WT_NSEC;
	assert_true(is_in(&own));
	assert_int_equal(n_questions, 1);
	own.start_time -= 5 * WT_NSEC;
	assert_false(is_in(&own));
	assert_int_equal(n_questions, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_together, setup, teardown),
		cmocka_unit_test_setup_teardown(test_many, setup, teardown),
		cmocka_unit_test_setup_teardown(test_other_bytes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_ended, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
