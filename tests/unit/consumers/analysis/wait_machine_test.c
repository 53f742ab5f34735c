// SPDX-License-Identifier: MIT
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

enum { R = WT_STATE_RUNNABLE, S = WT_STATE_SLEEPING, D = WT_STATE_UNINTERRUPTIBLE, Z = WT_STATE_ZOMBIE };

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

static void preempt(uint64_t time, uint32_t cpu, uint32_t old_tid, uint8_t state, uint32_t new_tid)
{
	struct wt_wait_switch event = {.time = time,
				       .cpu = cpu,
				       .old_tid = old_tid,
				       .new_tid = new_tid,
				       .state = state,
				       .preempted = true};

	assert_int_equal(wt_wait_switch(&world->machine, &event, NULL), 0);
}

static void record(uint64_t time, uint32_t cpu, uint32_t old_tid, uint32_t new_tid)
{
	struct wt_wait_switch event = {
		.time = time, .cpu = cpu, .old_tid = old_tid, .new_tid = new_tid, .record = true};

	assert_int_equal(wt_wait_switch(&world->machine, &event, NULL), 0);
}

static void enter(uint64_t time, uint32_t cpu, uint32_t tid)
{
	struct wt_wait_switch event = {
		.time = time, .cpu = cpu, .old_tid = WT_WAIT_NONE, .new_tid = tid, .alone = true};

	assert_int_equal(wt_wait_switch(&world->machine, &event, NULL), 0);
}

static void leave(uint64_t time, uint32_t cpu, uint32_t tid, bool preempted)
{
	struct wt_wait_switch event = {.time = time,
				       .cpu = cpu,
				       .old_tid = tid,
				       .new_tid = WT_WAIT_NONE,
				       .alone = true,
				       .state = WT_STATE_NOT_KNOWN,
				       .preempted = preempted};

	assert_int_equal(wt_wait_switch(&world->machine, &event, NULL), 0);
}

static void wake(uint64_t time, uint32_t tid, uint32_t by)
{
	struct wt_wait_waker waker = {.thread = by, .context = WT_WAKER_THREAD};

	assert_int_equal(wt_wait_wake(&world->machine, time, tid, &waker, false, NULL), 0);
}

static void wake_new(uint64_t time, uint32_t tid, uint32_t by)
{
	struct wt_wait_waker waker = {.thread = by, .context = WT_WAKER_THREAD};

	assert_int_equal(wt_wait_wake(&world->machine, time, tid, &waker, true, NULL), 0);
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

/* ---- tests ---- */

/* CPU 0 runs thread 1 first; thread 2 runs on CPU 1 all the time, and wakes it. */
static void a_wait_has_its_waker_and_its_parts(void **state)
{
	const struct wt_wait_turn *t;

	(void)state;
	renew();
	change(100, 1, 3, S, 2);
	change(110, 0, 1, S, 0);
	wake(150, 1, 2);
	change(170, 0, 0, R, 1);
	change(200, 0, 1, D, 0);
	finish(300);
	is_turn(1, 100, 0, 0, 10, 0);
	is_turn(1, 110, 40, 20, 30, 0);
	is_turn(1, 200, 100, 0, 0, 0);
	t = turn(1, 110);
	assert_int_equal(t->waker.thread, 2);
	assert_int_equal(t->ready_by, WT_READY_BY_WAKE);
	assert_int_equal(t->certainty, WT_WAIT_EXACT);
	assert_int_equal(t->stack, 110);
	assert_int_equal(t->state, S);
	assert_true(t->waits);
	assert_int_equal(turn(1, 100)->certainty, WT_WAIT_CUT);
	assert_int_equal(turn(1, 200)->certainty, WT_WAIT_CUT);
	/* The last wait has not ended; before the first one the thread ran. */
	assert_true(turn(1, 200)->open);
	assert_false(t->open || turn(1, 100)->open);
	assert_int_equal(world->machine.counts.contradictions, 0);
	assert_int_equal(world->machine.counts.unwoken, 0);
}

static void a_waker_may_be_faster_than_the_switch(void **state)
{
	(void)state;
	renew();
	change(100, 0, 9, S, 1);
	wake(120, 1, 5);
	wake(190, 1, 7);
	change(200, 0, 1, S, 2);
	change(260, 0, 2, S, 1);
	change(300, 0, 1, S, 0);
	/* Those wakes were for that wait alone. */
	wake(330, 1, 8);
	change(350, 0, 0, R, 1);
	finish(400);
	is_turn(1, 300, 30, 20, 50, 0);
	assert_int_equal(turn(1, 300)->waker.thread, 8);
	is_turn(1, 200, 0, 60, 40, 0);
	assert_int_equal(turn(1, 200)->waker.thread, 7);
	/* Where wakes may be missing, that wake may have been for an earlier wait, which was given up. */
	renew();
	world->gap.from = 230, world->gap.to = 240, world->gap.what = WT_WAIT_WAKES;
	change(100, 0, 9, S, 1);
	wake(190, 1, 7);
	change(200, 0, 1, S, 2);
	change(260, 0, 2, S, 1);
	finish(300);
	is_turn(1, 200, 0, 0, 40, 60);
	assert_int_equal(turn(1, 200)->waker.thread, WT_WAIT_NONE);
	/* And so it may while the wait has not ended. */
	renew();
	change(100, 0, 9, S, 1);
	wake(190, 1, 7);
	change(200, 0, 1, S, 2);
	finish(300);
	is_turn(1, 200, 0, 0, 0, 100);
}

static void the_first_wake_counts(void **state)
{
	(void)state;
	renew();
	change(100, 0, 1, S, 0);
	wake(110, 1, 5);
	wake(120, 1, 6);
	change(130, 0, 0, R, 1);
	finish(140);
	is_turn(1, 100, 10, 20, 10, 0);
	assert_int_equal(turn(1, 100)->waker.thread, 5);
}

static void a_signal_keeps_a_thread_runnable(void **state)
{
	(void)state;
	renew();
	change(90, 0, 8, S, 1);
	change(100, 0, 1, S, 2);
	change(130, 0, 2, S, 1);
	finish(140);
	is_turn(1, 100, 0, 30, 10, 0);
	assert_int_equal(turn(1, 100)->ready_by, WT_READY_BY_SIGNAL);
}

static void preempted_is_ready_whatever_the_state(void **state)
{
	(void)state;
	renew();
	change(90, 0, 8, S, 1);
	preempt(100, 0, 1, S, 2);
	wake(110, 1, 2);
	change(120, 0, 2, R, 1);
	change(130, 0, 1, S, 2);
	change(150, 0, 2, S, 1);
	finish(160);
	is_turn(1, 100, 0, 20, 10, 0);
	assert_int_equal(turn(1, 100)->ready_by, WT_READY_BY_PREEMPTION);
	assert_false(turn(1, 100)->waits);
	is_turn(2, 120, 0, 10, 20, 0);
	assert_int_equal(turn(2, 120)->ready_by, WT_READY_BY_PREEMPTION);
}

static void a_deleted_wake_takes_the_waker_of_one_wait_alone(void **state)
{
	(void)state;
	for (int deleted = -1; deleted < 3; deleted++) {
		renew();
		world->gap.from = 1, world->gap.to = 1000, world->gap.what = WT_WAIT_WAKES;
		change(100, 0, 1, S, 0);
		for (int i = 0; i < 3; i++) {
			uint64_t at = 100 + 100 * (uint64_t)i;

			if (i != deleted)
				wake(at + 50, 1, 40 + (uint32_t)i);
			change(at + 60, 0, 0, R, 1);
			change(at + 100, 0, 1, S, 0);
		}
		finish(400);
		for (int i = 0; i < 3; i++) {
			uint64_t at = 100 + 100 * (uint64_t)i;

			if (i == deleted) {
				is_turn(1, at, 0, 0, 40, 60);
				assert_int_equal(turn(1, at)->waker.thread, WT_WAIT_NONE);
				assert_int_equal(turn(1, at)->certainty, WT_WAIT_NOT_KNOWN);
			} else {
				is_turn(1, at, 50, 10, 40, 0);
				assert_int_equal(turn(1, at)->waker.thread, 40 + i);
			}
		}
		assert_int_equal(world->machine.counts.unwoken, deleted >= 0);
	}
}

/* A thread leaves at 100, is woken at 150 and runs from 160; wakes may be missing in a span. */
static void a_wake_is_the_first_one_only_where_none_is_missing(void **state)
{
	static const struct {
		uint64_t from, to;
		uint8_t certainty;
	} gaps[] = {{120, 140, WT_WAIT_PROBABLE}, {50, 110, WT_WAIT_PROBABLE}, {140, 155, WT_WAIT_PROBABLE},
		    {151, 170, WT_WAIT_EXACT},    {50, 99, WT_WAIT_EXACT},     {0, 0, WT_WAIT_EXACT}};

	(void)state;
	for (size_t i = 0; i < sizeof(gaps) / sizeof(gaps[0]); i++) {
		renew();
		world->gap.from = gaps[i].from, world->gap.to = gaps[i].to;
		world->gap.what = WT_WAIT_WAKES;
		change(20, 0, 9, S, 1);
		change(100, 0, 1, S, 0);
		wake(150, 1, 2);
		change(160, 0, 0, R, 1);
		change(200, 0, 1, S, 0);
		finish(300);
		is_turn(1, 100, 50, 10, 40, 0);
		assert_int_equal(turn(1, 100)->certainty, gaps[i].certainty);
		assert_int_equal(world->machine.counts.probable, gaps[i].certainty == WT_WAIT_PROBABLE);
	}
}

static void lost_switches_make_what_they_touch_unknown(void **state)
{
	(void)state;
	renew();
	world->gap.from = 160, world->gap.to = 180, world->gap.cpu = 1;
	change(100, 0, 1, S, 2);
	change(100, 1, 3, S, 4);
	wake(120, 1, 2);
	change(150, 0, 2, S, 1);
	change(200, 0, 1, S, 0);
	change(210, 1, 4, S, 0);
	wake(215, 2, 1);
	change(220, 0, 0, R, 2);
	finish(230);
	/* It ran on the CPU that lost nothing. */
	is_turn(1, 100, 20, 30, 50, 0);
	/* It may have left CPU 1 and come back. */
	is_turn(4, 100, 0, 0, 0, 110);
	/* It waited, but may have run on CPU 1 meanwhile. */
	is_turn(2, 150, 0, 0, 10, 70);
}

static void a_switch_that_does_not_fit_leaves_a_hole(void **state)
{
	(void)state;
	renew();
	change(100, 0, 1, S, 2);
	change(200, 0, 3, S, 4);
	change(300, 0, 4, S, 2);
	change(350, 0, 2, S, 0);
	finish(400);
	assert_true(world->machine.counts.contradictions > 0);
	is_turn(2, 100, 0, 0, 50, 200);
	assert_int_equal(turn(2, 100)->certainty, WT_WAIT_NOT_KNOWN);
	is_turn(4, 100, 0, 100, 100, 0);
	is_turn(3, 100, 0, 0, 0, 100);
}

static void an_untraced_idle_thread_hides_wakes(void **state)
{
	(void)state;
	renew();
	assert_int_equal(wt_wait_blind(&world->machine, 1, NULL), 0);
	change(100, 1, 3, S, 4);
	change(110, 0, 1, S, 2);
	change(150, 0, 2, S, 1); /* CPU 1 was busy all the time: a signal */
	change(160, 0, 1, S, 0);
	change(170, 1, 4, S, 0); /* from here on it is idle */
	change(200, 0, 0, R, 1);
	change(210, 0, 1, S, 0);
	record(300, 1, 0, 4); /* woken by its idle thread's timer */
	record(301, 1, 0, 4); /* told twice */
	wake(320, 1, 4);
	change(330, 0, 0, R, 1);
	finish(340);
	is_turn(1, 110, 0, 40, 10, 0);
	is_turn(1, 160, 0, 0, 10, 40);
	is_turn(1, 210, 110, 10, 10, 0);
	is_turn(4, 170, 0, 0, 40, 130);
	assert_int_equal(world->machine.counts.contradictions, 0);
	assert_int_equal(wt_wait_n_blind(&world->machine), 1);
}

static void a_record_tells_who_came_but_not_what_the_other_does(void **state)
{
	(void)state;
	renew();
	change(100, 0, 1, S, 2);
	record(150, 0, 2, 3);
	change(200, 0, 3, S, 2);
	change(250, 0, 2, S, 0);
	finish(300);
	is_turn(2, 100, 0, 0, 50, 0);
	is_turn(2, 150, 0, 0, 50, 50);
}

/* What a user without rights sees: own threads come and go, and nobody tells who has the CPU between. */
static void events_of_own_threads_alone(void **state)
{
	(void)state;
	renew();
	world->gap.from = 0, world->gap.to = 1000, world->gap.what = WT_WAIT_WAKES;
	enter(100, 0, 5);
	leave(150, 0, 5, true);
	enter(160, 1, 5);
	enter(170, 0, 6);
	leave(200, 1, 5, false);
	enter(290, 1, 5);
	/* A thread that ends leaves without an event. */
	assert_int_equal(wt_wait_stop(&world->machine, 300, 6, NULL), 0);
	enter(310, 0, 7);
	finish(400);
	is_turn(5, 150, 0, 10, 40, 0);
	assert_int_equal(turn(5, 150)->ready_by, WT_READY_BY_PREEMPTION);
	assert_false(turn(5, 150)->waits);
	is_turn(5, 200, 0, 0, 110, 90);
	assert_true(turn(5, 200)->waits);
	assert_int_equal(turn(5, 150)->priority, WT_WAIT_NONE);
	assert_int_equal(turn(5, 200)->priority, WT_WAIT_NONE);
	is_turn(6, 100, 0, 0, 130, 70);
	assert_int_equal(turn(6, 100)->to, 300);
	assert_int_equal(world->machine.counts.contradictions, 0);
	/* An event of a thread that was elsewhere. */
	renew();
	enter(100, 0, 5);
	enter(150, 0, 6);
	leave(200, 1, 6, false);
	finish(300);
	assert_true(world->machine.counts.contradictions > 0);
	assert_int_equal(turn(5, 100)->running, 0);
	assert_int_equal(turn(5, 100)->certainty, WT_WAIT_NOT_KNOWN);
}

static void lives_begin_and_end(void **state)
{
	(void)state;
	renew();
	change(100, 0, 1, R, 2);
	assert_int_equal(wt_wait_start(&world->machine, 140, 50, NULL), 0);
	wake_new(150, 50, 2);
	change(160, 0, 2, R, 50);
	assert_int_equal(wt_wait_stop(&world->machine, 190, 50, NULL), 0);
	change(200, 0, 50, Z, 2);
	/* The number is used again. */
	assert_int_equal(wt_wait_start(&world->machine, 250, 50, NULL), 0);
	change(260, 0, 2, R, 50);
	change(280, 0, 50, S, 2);
	assert_int_equal(wt_wait_stop(&world->machine, 290, 50, NULL), 0); /* its last switch is missing */
	finish(1000);
	is_turn(50, 150, 0, 10, 40, 0);
	assert_int_equal(turn(50, 150)->ready_by, WT_READY_BY_START);
	assert_int_equal(turn(50, 150)->waker.thread, 2);
	assert_int_equal(turn(50, 150)->certainty, WT_WAIT_EXACT);
	is_turn(50, 250, 0, 10, 20, 0);
	is_turn(50, 280, 10, 0, 0, 0);
	for (uint32_t i = 0; i < world->n; i++)
		assert_int_not_equal(world->turns[i].from, 140);
}

/* Thread 12 of process 10 begins a program: from then on its number is 10. */
static void exec_by_another_thread_goes_on_under_the_first_ones_number(void **state)
{
	(void)state;
	for (int told = 0; told < 2; told++) {
		renew();
		change(100, 0, 1, R, 12);
		change(110, 1, 10, Z, 0);
		if (told)
			assert_int_equal(wt_wait_exec(&world->machine, 150, 0, 10, NULL), 0);
		change(200, 0, 10, S, 1);
		wake(220, 10, 1);
		change(230, 0, 1, R, 10);
		finish(240);
		is_turn(10, 100, 0, 0, 10, 0);
		is_turn(12, 100, 0, 0, told ? 50 : 100, 0);
		if (told)
			is_turn(10, 150, 0, 0, 50, 0);
		is_turn(10, 200, 20, 10, 10, 0);
		assert_int_equal(world->machine.counts.contradictions, 0);
		for (uint32_t i = 0; i < world->n; i++)
			assert_int_equal(world->turns[i].unknown, 0);
	}
}

/* Thread 10 begins a program, but the switch that brought it to the CPU is missing: thread 12 goes on. */
static void exec_by_the_first_thread_itself_ends_nobody(void **state)
{
	(void)state;
	renew();
	change(100, 0, 1, R, 12);
	change(110, 1, 10, S, 0);
	assert_int_equal(wt_wait_exec(&world->machine, 150, 0, 10, NULL), 0);
	change(200, 0, 12, S, 1);
	finish(240);
	is_turn(12, 100, 0, 0, 100, 0);
	is_turn(12, 200, 40, 0, 0, 0);
	is_turn(10, 110, 130, 0, 0, 0);
}

static void the_priority_is_that_with_which_it_got_the_cpu(void **state)
{
	struct wt_wait_switch event = {
		.time = 100, .old_tid = 1, .new_tid = 2, .state = S, .old_priority = 120, .new_priority = 98};

	(void)state;
	renew();
	assert_int_equal(wt_wait_switch(&world->machine, &event, NULL), 0);
	wake(110, 1, 2);
	event = (struct wt_wait_switch){
		.time = 200, .old_tid = 2, .new_tid = 1, .state = S, .old_priority = 98, .new_priority = 110};
	assert_int_equal(wt_wait_switch(&world->machine, &event, NULL), 0);
	/* The kernel's record of a switch does not tell it. */
	event = (struct wt_wait_switch){.time = 300, .old_tid = 1, .new_tid = 3, .record = true};
	assert_int_equal(wt_wait_switch(&world->machine, &event, NULL), 0);
	finish(400);
	assert_int_equal(turn(1, 100)->priority, 110);
	assert_int_equal(turn(2, 200)->priority, 98); /* it got no CPU: as it left one */
	assert_int_equal(turn(1, 300)->priority, WT_WAIT_NONE);
	assert_int_equal(turn(3, 100)->priority, WT_WAIT_NONE);
}

static void the_window_cuts(void **state)
{
	(void)state;
	renew();
	world->machine.from = 130, world->machine.to = 175;
	change(100, 0, 1, S, 0);
	wake(150, 1, 2);
	change(170, 0, 0, R, 1);
	change(200, 0, 1, S, 0);
	finish(300);
	is_turn(1, 100, 20, 20, 5, 0);
	assert_int_equal(turn(1, 100)->certainty, WT_WAIT_CUT);
	assert_int_equal(world->n, 1);
	assert_true(turn(1, 100)->waits);
	assert_true(turn(1, 100)->open);
	renew();
	world->machine.from = 180;
	change(100, 0, 1, S, 0);
	wake(150, 1, 2);
	change(170, 0, 0, R, 1);
	change(200, 0, 1, S, 0);
	finish(200);
	is_turn(1, 100, 0, 0, 20, 0);
	assert_false(turn(1, 100)->waits);
}

/* Of a session of some processes: threads 1 and 5 are theirs, switches between others are not there. */
static void only_threads_that_were_told_have_turns(void **state)
{
	(void)state;
	renew();
	world->machine.only_told = true;
	assert_int_equal(wt_wait_told(&world->machine, 1, NULL), 0);
	change(100, 0, 1, S, 9);
	wake(130, 1, 8);
	change(150, 0, 7, R, 1);
	assert_int_equal(wt_wait_start(&world->machine, 160, 5, NULL), 0);
	wake_new(165, 5, 1);
	change(170, 0, 1, R, 5);
	change(180, 0, 5, Z, 9);
	change(190, 1, 5, S, 1); /* the number is another thread's now */
	finish(200);
	is_turn(1, 100, 30, 20, 20, 0);
	is_turn(1, 170, 0, 20, 10, 0);
	is_turn(5, 165, 0, 5, 10, 0);
	assert_int_equal(world->n, 3);
	assert_int_equal(world->machine.counts.contradictions, 0);
	/* When a CPU is idle is not known. */
	renew();
	world->machine.only_told = true;
	assert_int_equal(wt_wait_told(&world->machine, 1, NULL), 0);
	assert_int_equal(wt_wait_blind(&world->machine, 1, NULL), 0);
	change(90, 1, 3, R, 4);
	change(100, 0, 1, S, 9);
	change(150, 0, 9, R, 1);
	finish(160);
	is_turn(1, 100, 0, 0, 10, 50);
}

/* Whatever comes: the parts of each turn add up to it, and a thread's turns follow each other. */
static void parts_add_up_for_any_events(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= 400; seed++) {
		uint64_t time = 1000, last[16] = {0};

		renew();
		srand(seed);
		if (seed % 3 == 0)
			assert_int_equal(wt_wait_blind(&world->machine, 1, NULL), 0);
		if (seed % 4 == 0)
			world->gap.from = 1500, world->gap.to = 1600, world->gap.what = seed % 8 / 4;
		for (int i = 0; i < 400; i++) {
			uint32_t cpu = (uint32_t)rand() % 3, a = (uint32_t)rand() % 12,
				 b = (uint32_t)rand() % 12;
			static const uint8_t states[] = {R, S, S, D, Z, WT_STATE_STOPPED, WT_STATE_NOT_KNOWN};

			time += (uint64_t)rand() % 5;
			switch (rand() % 12) {
			case 10:
				enter(time, cpu, a ? a : WT_WAIT_NONE);
				break;
			case 11:
				leave(time, cpu, a ? a : WT_WAIT_NONE, b % 2);
				break;
			case 0:
			case 1:
				if (a)
					wake(time, a, b);
				break;
			case 2:
				record(time, cpu, a, b);
				break;
			case 3:
				if (a && rand() % 3 == 0)
					wake_new(time, a, b);
				break;
			case 4:
				if (a && rand() % 3 == 0)
					assert_int_equal(wt_wait_stop(&world->machine, time, a, NULL), 0);
				if (b && rand() % 9 == 0)
					assert_int_equal(wt_wait_exec(&world->machine, time, cpu, b, NULL),
							 0);
				break;
			case 5:
				preempt(time, cpu, a, states[rand() % 7], b);
				break;
			default:
				change(time, cpu, a, states[rand() % 7], b);
			}
		}
		finish(time);
		for (uint32_t i = 0; i < world->n; i++) {
			const struct wt_wait_turn *t = &world->turns[i];

			assert_int_equal(t->running + t->ready + t->blocked + t->unknown, t->to - t->from);
			assert_true(t->from >= last[t->tid]);
			assert_true(!t->unknown || t->certainty == WT_WAIT_NOT_KNOWN);
			last[t->tid] = t->to;
		}
	}
}

static void functions_say_what_is_waited_for(void **state)
{
	static const struct {
		const char *name;
		enum wt_wait_kind kind;
	} all[] = {{"futex_wait_queue", WT_KIND_LOCK},
		   {"hrtimer_nanosleep", WT_KIND_TIMER},
		   {"io_schedule", WT_KIND_DISK},
		   {"tcp_recvmsg_locked", WT_KIND_NET},
		   {"anon_pipe_read", WT_KIND_PIPE},
		   {"do_sys_poll", WT_KIND_POLL},
		   {"do_wait", WT_KIND_CHILD},
		   {"do_signal_stop", WT_KIND_STOP},
		   {"schedule", WT_KIND_OTHER},
		   {"schedule_hrtimeout_range", WT_KIND_OTHER},
		   {"fute", WT_KIND_OTHER},
		   {"", WT_KIND_OTHER}};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		assert_int_equal(wt_wait_kind_of_name(all[i].name, strlen(all[i].name)), all[i].kind);
}

/* A stack is a list of frames, the outermost first. */
static void the_innermost_name_counts_but_a_fault_is_a_fault(void **state)
{
	enum { FRAMES = 6 };
	static const char *const names[FRAMES] = {"asm_exc_page_fault", "handle_mm_fault", "pipe_read",
						  "__mutex_lock",       "schedule",        "do_sched_yield"};
	struct wt_log_symbol symbols[FRAMES] = {{.line = 0}};
	struct wt_log_frame frames[FRAMES] = {{0}};
	struct wt_log_stack stacks[] = {
		{.caller = 0, .frame = 0, .kernel = true}, {.caller = 1, .frame = 3, .kernel = true},
		{.caller = 2, .frame = 4, .kernel = true}, {.caller = 0, .frame = 2, .kernel = true},
		{.caller = 4, .frame = 3, .kernel = true}, {.caller = 0, .frame = 3, .kernel = false},
		{.caller = 6, .frame = 4, .kernel = true}, {.caller = 0, .frame = 5, .kernel = true},
		{.caller = 9, .frame = 4, .kernel = true}, {.caller = 0, .frame = 99, .kernel = true}};
	struct wt_log_segment segment = {.symbols = symbols,
					 .frames = frames,
					 .n_frames = FRAMES,
					 .stacks = stacks,
					 .n_stacks = sizeof(stacks) / sizeof(stacks[0])};

	(void)state;
	for (int i = 0; i < FRAMES; i++)
		symbols[i].name = (struct wt_str){names[i], (uint32_t)strlen(names[i])};
	assert_int_equal(wt_wait_kind(&segment, 3, S), WT_KIND_FAULT);
	assert_int_equal(wt_wait_kind(&segment, 5, S), WT_KIND_LOCK);
	assert_int_equal(wt_wait_kind(&segment, 4, S), WT_KIND_PIPE);
	assert_int_equal(wt_wait_kind(&segment, 7, S), WT_KIND_OTHER); /* a user's function of that name */
	assert_int_equal(wt_wait_kind(&segment, 0, S), WT_KIND_OTHER);
	assert_int_equal(wt_wait_kind(&segment, 0, WT_STATE_STOPPED), WT_KIND_STOP);
	assert_int_equal(wt_wait_kind(&segment, 9, S), WT_KIND_OTHER); /* a caller that is itself */
	assert_int_equal(wt_wait_kind(&segment, 10, S), WT_KIND_OTHER);
	assert_int_equal(wt_wait_kind(&segment, 11, S), WT_KIND_OTHER);
	assert_true(wt_wait_yields(&segment, 8));
	assert_false(wt_wait_yields(&segment, 7));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_wait_has_its_waker_and_its_parts),
		cmocka_unit_test(a_waker_may_be_faster_than_the_switch),
		cmocka_unit_test(the_first_wake_counts),
		cmocka_unit_test(a_signal_keeps_a_thread_runnable),
		cmocka_unit_test(preempted_is_ready_whatever_the_state),
		cmocka_unit_test(a_deleted_wake_takes_the_waker_of_one_wait_alone),
		cmocka_unit_test(a_wake_is_the_first_one_only_where_none_is_missing),
		cmocka_unit_test(lost_switches_make_what_they_touch_unknown),
		cmocka_unit_test(a_switch_that_does_not_fit_leaves_a_hole),
		cmocka_unit_test(an_untraced_idle_thread_hides_wakes),
		cmocka_unit_test(a_record_tells_who_came_but_not_what_the_other_does),
		cmocka_unit_test(events_of_own_threads_alone),
		cmocka_unit_test(lives_begin_and_end),
		cmocka_unit_test(exec_by_another_thread_goes_on_under_the_first_ones_number),
		cmocka_unit_test(exec_by_the_first_thread_itself_ends_nobody),
		cmocka_unit_test(the_window_cuts),
		cmocka_unit_test(the_priority_is_that_with_which_it_got_the_cpu),
		cmocka_unit_test(only_threads_that_were_told_have_turns),
		cmocka_unit_test(parts_add_up_for_any_events),
		cmocka_unit_test(functions_say_what_is_waited_for),
		cmocka_unit_test(the_innermost_name_counts_but_a_fault_is_a_fault),
	};

	return cmocka_run_group_tests_name("wait_machine", tests, setup, teardown);
}
