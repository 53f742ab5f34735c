// SPDX-License-Identifier: MIT
/* What the walk of a wait's stack is told: which switch of its thread it is, where nobody can take its place.
 */
#include "tests/unit/consumers/recorder_fixture.h"

static struct wt_stack_dump dump = {.machine = 62};
static struct wt_unwind_task last_task;
static uint32_t k_cswitch, k_thread_start, k_thread_stop;

static enum wt_unwound unwind(void *ctx, const struct wt_unwind_task *task, const struct wt_raw_stack *raw,
			      enum wt_unwind_when when, struct wt_raw_stack *ret)
{
	(void)ctx;
	(void)raw;
	(void)when;
	last_task = *task;
	*ret = (struct wt_raw_stack){.status = WT_STACK_SHORT};
	return WT_UNWOUND;
}

static int setup_turns(void **state)
{
	struct wt_provider *provider;
	uint32_t ignored;

	if (setup(state) || wt_builtin_provider("cswitch", &provider, &err) < 0 ||
	    wt_kinds_add(&kinds, provider, &ignored, &err) < 0)
		return -1;
	k_cswitch = kind_of("cswitch", WT_CSWITCH);
	k_thread_start = kind_of("proc_thread", WT_THREAD_START);
	k_thread_stop = kind_of("proc_thread", WT_THREAD_STOP);
	recreate((struct wt_recorder_config){.unwind = unwind});
	last_task = (struct wt_unwind_task){0};
	return 0;
}

static void put_thread(uint32_t kind, uint64_t time, uint32_t pid, uint32_t tid)
{
	struct wt_proc_payload p = {
		.pid = pid, .tid = tid, .parent_pid = pid, .parent_tid = pid, .start_time = time};
	struct wt_buf buf = {0};

	wt_proc_put(&buf, &p);
	put(&ring_a, kind, time, pid, &buf)->tid = tid;
	wt_buf_deinit(&buf);
}

/* The thread leaves its CPU to wait. */
static void leave(uint64_t time, uint32_t pid, uint32_t tid)
{
	struct wt_switch_payload p = {.old_tid = tid, .old_state = WT_STATE_SLEEPING};
	struct wt_event *event;
	struct wt_buf buf = {0};

	wt_switch_put(&buf, &p);
	event = put(&ring_a, k_cswitch, time, pid, &buf);
	event->tid = tid;
	event->stack = (struct wt_raw_stack){.dump = &dump};
	wt_buf_deinit(&buf);
	round_all();
	assert_int_equal(last_task.time, time);
}

/* When one of its other threads begins a program, that one gets the number of the first. */
static void first_of_several(void **state)
{
	(void)state;
	put_proc(&ring_a, k_start, 10, 50, 1, "prog");
	leave(11, 50, 50);
	assert_non_null(last_task.turns);
	assert_int_equal(last_task.turn, 1);
	put_thread(k_thread_start, 12, 50, 51);
	leave(13, 50, 50);
	assert_null(last_task.turns);
	assert_int_equal(last_task.turn, 0);
	/* The others keep their numbers. */
	leave(14, 50, 51);
	assert_non_null(last_task.turns);
	assert_int_equal(last_task.turn, 1);
	put_thread(k_thread_stop, 15, 50, 51);
	leave(16, 50, 50);
	assert_non_null(last_task.turns);
	assert_int_equal(last_task.turn, 3);
}

/* After a loss there may be threads that nobody knows. */
static void maybe_one_of_several(void **state)
{
	(void)state;
	put_proc(&ring_a, k_start, 1000, 50, 1, "prog");
	put_lost(&ring_a, 1100, "proc_thread", 1, 0);
	leave(1200, 50, 50);
	assert_null(last_task.turns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(first_of_several, setup_turns, teardown),
		cmocka_unit_test_setup_teardown(maybe_one_of_several, setup_turns, teardown),
	};

	return cmocka_run_group_tests_name("recorder_turns", tests, NULL, NULL);
}
