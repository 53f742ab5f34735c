// SPDX-License-Identifier: MIT
/* Threads that are found waiting when a record begins or ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "consumers/analysis/wait_kind.h"
#include "consumers/analysis/wait_machine.h"
#include "tests/unit/consumers/analysis/wait_world.h"

/* ---- events ---- */

enum { R = WT_STATE_RUNNABLE, S = WT_STATE_SLEEPING, Z = WT_STATE_ZOMBIE };

static void change(uint64_t time, uint32_t cpu, uint32_t old_tid, uint8_t state, uint32_t new_tid)
{
	struct wt_wait_switch event = {.time = time,
				       .cpu = cpu,
				       .old_tid = old_tid,
				       .new_tid = new_tid,
				       .state = state,
				       .thread = old_tid,
				       .stack = (uint32_t)time};

	assert_int_equal(wt_wait_switch(&world->machine, &event, NULL), 0);
}

static void wake(uint64_t time, uint32_t tid, uint32_t by)
{
	struct wt_wait_waker waker = {.thread = by, .context = WT_WAKER_THREAD};

	assert_int_equal(wt_wait_wake(&world->machine, time, tid, &waker, false, NULL), 0);
}

static void found(uint64_t time, uint32_t tid)
{
	struct wt_wait_found event = {
		.time = time, .tid = tid, .state = S, .kind = WT_KIND_TIMER, .thread = tid, .stack = 77};

	assert_int_equal(wt_wait_found(&world->machine, &event, NULL), 0);
}

static void finish(uint64_t time)
{
	assert_int_equal(wt_wait_finish(&world->machine, time, NULL), 0);
}

/* ---- what came out ---- */

/* The turn of a thread that begins at a time. */
static const struct wt_wait_turn *turn(uint32_t tid, uint64_t from)
{
	for (uint32_t i = 0; i < world->n; i++)
		if (world->turns[i].tid == tid && world->turns[i].from == from)
			return &world->turns[i];
	fail_msg("no turn of %u from %llu", tid, (unsigned long long)from);
	return NULL;
}

static void is_turn(uint32_t tid, uint64_t from, uint64_t blocked, uint64_t ready, uint64_t running,
		    uint64_t unknown)
{
	const struct wt_wait_turn *t = turn(tid, from);

	assert_int_equal(t->blocked, blocked);
	assert_int_equal(t->ready, ready);
	assert_int_equal(t->running, running);
	assert_int_equal(t->unknown, unknown);
}

static void silent_threads_wait_since_before(void **state)
{
	const struct wt_wait_turn *t;

	(void)state;
	renew();
	change(100, 0, 1, S, 2);
	found(120, 3); /* nothing else is heard of it */
	found(121, 4); /* it is woken later */
	found(122, 1); /* its switch was seen */
	wake(150, 4, 2);
	change(160, 0, 2, R, 4);
	finish(200);
	is_turn(3, 100, 100, 0, 0, 0);
	t = turn(3, 100);
	assert_int_equal(t->certainty, WT_WAIT_CUT);
	assert_true(t->waits);
	assert_int_equal(t->kind, WT_KIND_TIMER);
	assert_int_equal(t->state, S);
	assert_int_equal(t->stack, 77);
	assert_int_equal(t->thread, 3);
	is_turn(4, 100, 50, 10, 40, 0);
	assert_int_equal(turn(4, 100)->ready_by, WT_READY_BY_WAKE);
	is_turn(1, 100, 100, 0, 0, 0);
	assert_int_equal(turn(1, 100)->kind, 0);
	assert_int_equal(turn(1, 100)->stack, 100);

	/* A number that another thread had: nothing is known of the time before. */
	renew();
	change(100, 0, 1, Z, 2);
	found(120, 1);
	finish(200);
	for (uint32_t i = 0; i < world->n; i++)
		assert_true(world->turns[i].tid != 1 || world->turns[i].to <= 100);
}

static void read_lock(uint64_t time, uint32_t tid, uint32_t owner)
{
	struct wt_wait_found event = {
		.time = time, .tid = tid, .state = S, .thread = tid, .lock = {0x1000, time, owner, 1}};

	assert_int_equal(wt_wait_found(&world->machine, &event, NULL), 0);
}

/* The last reading counts, and only that of the same wait. */
static void a_lock_belongs_to_the_wait_in_which_it_was_read(void **state)
{
	(void)state;
	renew();
	change(100, 0, 1, S, 2);
	read_lock(120, 3, 7);
	read_lock(130, 1, 8);
	wake(140, 1, 2);
	change(150, 0, 2, S, 1);
	change(160, 0, 1, S, 0);
	read_lock(170, 3, 9);
	wake(180, 1, 2);
	read_lock(190, 1, 5); /* it does not wait any more */
	finish(200);
	assert_int_equal(turn(3, 100)->lock->owner, 9);
	assert_int_equal(turn(3, 100)->lock->read, 170);
	assert_int_equal(turn(3, 100)->lock->address, 0x1000);
	assert_int_equal(turn(1, 100)->lock->owner, 8);
	assert_null(turn(1, 160)->lock);
	assert_null(turn(2, 150)->lock);
}

/* Who waits at the end and has not left a CPU since was not woken, whatever is missing. */
static void found_again_is_blocked_all_the_time(void **state)
{
	(void)state;
	renew();
	world->gap.what = WT_WAIT_WAKES;
	world->gap.to = UINT64_MAX;
	change(100, 0, 1, S, 2);
	found(120, 3);
	found(190, 3);
	found(190, 1);
	finish(200);
	is_turn(3, 100, 90, 0, 0, 10);
	is_turn(1, 100, 90, 0, 0, 10);

	/* A missing switch may have been one of this thread: a wait does not prove that it was there before.
	 */
	renew();
	world->gap.what = WT_WAIT_SWITCHES;
	world->gap.from = 150;
	world->gap.to = 160;
	change(100, 0, 1, S, 2);
	found(120, 3);
	found(190, 3);
	finish(200);
	is_turn(3, 100, 0, 0, 0, 100);

	/* Nor is one that was woken, or runs, found waiting in a record without contradictions. */
	renew();
	change(100, 0, 1, S, 2);
	wake(150, 1, 2);
	found(160, 1);
	found(160, 2);
	finish(200);
	is_turn(1, 100, 50, 50, 0, 0);
	is_turn(2, 100, 0, 0, 100, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(silent_threads_wait_since_before),
		cmocka_unit_test(a_lock_belongs_to_the_wait_in_which_it_was_read),
		cmocka_unit_test(found_again_is_blocked_all_the_time),
	};

	return cmocka_run_group_tests_name("wait_found", tests, setup, teardown);
}
