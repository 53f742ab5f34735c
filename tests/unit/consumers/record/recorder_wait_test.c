// SPDX-License-Identifier: MIT
/* Events whose stacks wait for a table: order, pressure, the end. */
#include "tests/unit/consumers/recorder_fixture.h"

static struct wt_stack_dump dump = {.machine = 62};
static const uint64_t walked_pcs[] = {0x1010, 0x1020, 0x1030};
static const uint64_t walked_exact = 1;
static uint32_t fill_of_a;
static bool table_is_there;
static struct wt_unwind_task last_task;
static uint32_t n_asked, n_now;

static uint32_t ring_fill(const struct wt_source *source)
{
	/* What is released is free. */
	return ((const struct ring *)source)->released < ((const struct ring *)source)->n ? fill_of_a : 0;
}

static uint32_t holds_left, n_held;

static bool ring_hold(struct wt_source *source)
{
	(void)source;
	if (!holds_left)
		return false;
	holds_left--;
	n_held++;
	fill_of_a = 0;
	return true;
}

static enum wt_unwound unwind(void *ctx, const struct wt_unwind_task *task, const struct wt_raw_stack *raw,
			      enum wt_unwind_when when, struct wt_raw_stack *ret)
{
	assert_ptr_equal(ctx, &dump);
	assert_ptr_equal(raw->dump, &dump);
	last_task = *task;
	n_asked++;
	n_now += when == WT_UNWIND_NOW;
	if (!table_is_there && when == WT_UNWIND_PATIENTLY)
		return WT_UNWIND_WAIT;
	*ret = (struct wt_raw_stack){.pc = walked_pcs,
				     .n_user = table_is_there ? 3 : 1,
				     .status = table_is_there ? WT_STACK_COMPLETE : WT_STACK_NO_DATA,
				     .exact = &walked_exact};
	return WT_UNWOUND;
}

static struct wt_source_ops filling_ops;

static int setup_wait(void **state)
{
	if (setup(state))
		return -1;
	recreate((struct wt_recorder_config){.unwind = unwind, .unwind_ctx = &dump});
	filling_ops = ring_ops;
	filling_ops.fill = ring_fill;
	ring_a.source.ops = &filling_ops;
	fill_of_a = n_asked = n_now = 0;
	table_is_there = false;
	return 0;
}

static void put_dump(struct ring *ring, uint64_t time, uint32_t pid)
{
	put_sample(ring, time, pid, 0x1010);
	ring->events[ring->n - 1].stack = (struct wt_raw_stack){.dump = &dump};
}

/* Nothing behind a waiting event is taken, on whatever ring; then all of it in order. */
static void test_order_is_kept(void **state)
{
	(void)state;
	put_proc(&ring_a, k_rundown, 10, 50, 1, "prog");
	put_sample(&ring_b, 15, 50, 0x1010);
	put_dump(&ring_a, 20, 50);
	put_sample(&ring_b, 25, 50, 0x1010);
	put_proc(&ring_a, k_stop, 30, 50, 1, "");
	put_dump(&ring_b, 35, 50);
	round_all();
	assert_true(wt_recorder_waits(rec));
	assert_int_equal(fake->n_events, 2);
	assert_int_equal(ring_a.next, 1);
	assert_int_equal(ring_b.next, 1);
	round_all();
	assert_int_equal(fake->n_events, 2);
	assert_int_equal(last_task.pid, 50);
	assert_int_equal(last_task.time, 20);
	assert_non_null(last_task.space);
	table_is_there = true;
	round_all();
	assert_false(wt_recorder_waits(rec));
	assert_int_equal(fake->n_events, 6);
	for (uint32_t i = 1; i < 6; i++)
		assert_true(fake->events[i - 1].time < fake->events[i].time);
	assert_int_equal(n_now, 0);
	assert_int_equal(wt_recorder_stats(rec)->late, 0);
	assert_int_equal(wt_recorder_stats(rec)->events, 6);
}

/* Only what has not been written yet may fill a ring up to the bound. */
static void test_pressure(void **state)
{
	(void)state;
	put_sample(&ring_a, 10, 0, 1);
	put_dump(&ring_a, 20, 0);
	put_dump(&ring_a, 21, 0);
	fill_of_a = 501;
	round_all();
	assert_true(wt_recorder_waits(rec));
	assert_int_equal(ring_a.next, 1);
	flush_all();
	fill_of_a = 500;
	round_all();
	assert_true(wt_recorder_waits(rec));
	assert_int_equal(n_now, 0);
	fill_of_a = 501;
	round_all();
	assert_false(wt_recorder_waits(rec));
	assert_int_equal(ring_a.next, 3);
	assert_int_equal(n_now, 2);

	/* It lasts until there is room again. */
	put_dump(&ring_a, 30, 0);
	fill_of_a = 251;
	round_all();
	assert_int_equal(ring_a.next, 4);
	put_dump(&ring_a, 40, 0);
	fill_of_a = 250;
	round_all();
	assert_true(wt_recorder_waits(rec));
	assert_int_equal(ring_a.next, 4);
}

/* A full ring is emptied into a hold as long as there is room there, and only then not waited for. */
static void test_hold(void **state)
{
	(void)state;
	filling_ops.hold = ring_hold;
	holds_left = 1;
	n_held = 0;
	put_dump(&ring_a, 20, 0);
	fill_of_a = 500;
	round_all();
	assert_true(wt_recorder_waits(rec));
	assert_int_equal(n_held, 0);
	fill_of_a = 501;
	round_all();
	assert_true(wt_recorder_waits(rec));
	assert_int_equal(n_held, 1);
	assert_int_equal(n_now, 0);
	fill_of_a = 501;
	round_all();
	assert_false(wt_recorder_waits(rec));
	assert_int_equal(n_now, 1);
	assert_int_equal(fake->n_events, 1);
}

static void test_hurry(void **state)
{
	(void)state;
	put_dump(&ring_a, 20, 0);
	put_dump(&ring_b, 21, 0);
	round_all();
	assert_true(wt_recorder_waits(rec));
	wt_recorder_hurry(rec, true);
	round_all();
	assert_false(wt_recorder_waits(rec));
	assert_int_equal(fake->n_events, 2);
	wt_recorder_hurry(rec, false);
	put_dump(&ring_b, 22, 0);
	round_all();
	assert_true(wt_recorder_waits(rec));
	/* A source that goes takes nobody's time. */
	assert_int_equal(wt_recorder_remove_source(rec, &ring_b.source, &err), 0);
	assert_int_equal(fake->n_events, 3);
}

/* What does not go into the log is not walked, and what cannot be walked is written all the same. */
static void test_only_what_is_wanted(void **state)
{
	bool *enabled = calloc(kinds.n, sizeof(*enabled));

	(void)state;
	recreate((struct wt_recorder_config){.unwind = unwind, .unwind_ctx = &dump, .enabled = enabled});
	put_dump(&ring_a, 20, 0);
	round_all();
	assert_false(wt_recorder_waits(rec));
	assert_int_equal(n_asked, 0);
	assert_int_equal(fake->n_events, 0);
	recreate((struct wt_recorder_config){.unwind = NULL});
	put_dump(&ring_a, 30, 0);
	round_all();
	assert_int_equal(fake->n_events, 1);
	assert_int_equal(fake->events[0].stack, 0);
	free(enabled);
}

#define WAIT_TEST(f) cmocka_unit_test_setup_teardown(f, setup_wait, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WAIT_TEST(test_order_is_kept),
		WAIT_TEST(test_pressure),
		WAIT_TEST(test_hold),
		WAIT_TEST(test_hurry),
		WAIT_TEST(test_only_what_is_wanted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
