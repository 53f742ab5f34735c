// SPDX-License-Identifier: MIT
/* From a record of a group to what was counted since the one before, and whether that is one step. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/providers/perf/fake_ring.h"
#include "providers/perf/counts_group.h"
#include "tracecore/base/cursor.h"
#include "tracecore/kernel_events.h"

enum { ID = 9, SLOT_SWITCH = 4, SLOT_INTERVAL = 5, CPU = 1, TID = 12 };

static struct wt_perf_ids ids;
static struct wt_buf buf, out;
static struct wt_perf_chain chain;
static struct wt_perf_counts counts;

static int setup(void **state)
{
	(void)state;
	ids = (struct wt_perf_ids){0};
	chain = (struct wt_perf_chain){0};
	counts = (struct wt_perf_counts){.n = 2, .slots = {SLOT_SWITCH, SLOT_INTERVAL}, .n_slots = 2};
	return wt_perf_ids_add(&ids, ID, (struct wt_perf_id){.slot = SLOT_SWITCH, .n_read = 2}) ||
	       wt_perf_ids_add(&ids, ID + 1, (struct wt_perf_id){.slot = SLOT_INTERVAL, .n_read = 2}) ||
	       wt_perf_ids_add(&ids, ID + 2, (struct wt_perf_id){.slot = SLOT_SWITCH, .n_read = 1});
}

static int teardown(void **state)
{
	(void)state;
	wt_perf_ids_deinit(&ids);
	wt_buf_deinit(&buf);
	wt_buf_deinit(&out);
	return 0;
}

struct said {
	uint64_t id, enabled, running;
	uint64_t switches, switches_lost, clock, clock_lost;
	uint64_t a, b;
};

/* A sample as the kernel writes it, n events in all. */
static void put_sample(const struct said *said, uint64_t n, int words)
{
	const uint64_t values[][2] = {{said->switches, said->switches_lost},
				      {said->clock, said->clock_lost},
				      {said->a, 0},
				      {said->b, 0}};

	fake_begin(&buf, PERF_RECORD_SAMPLE, 0);
	wt_buf_put_u64(&buf, said->id);
	wt_buf_put_u64(&buf, 0);
	wt_buf_put_u32(&buf, TID);
	wt_buf_put_u32(&buf, TID);
	wt_buf_put_u64(&buf, 100);
	wt_buf_put_u32(&buf, CPU);
	wt_buf_put_u32(&buf, 0);
	wt_buf_put_u64(&buf, 1);
	wt_buf_put_u64(&buf, n);
	wt_buf_put_u64(&buf, said->enabled);
	wt_buf_put_u64(&buf, said->running);
	for (uint64_t i = 0; i < n && i < 4; i++)
		for (int w = 0; w < words; w++)
			wt_buf_put_u64(&buf, values[i][w]);
	fake_end(&buf);
}

/* Takes what lies in buf; what it is worth, or -1. The bytes end where the record ends. */
static int take(void)
{
	enum wt_counts_certainty certainty = WT_COUNTS_REST;
	struct wt_perf_record record;
	uint8_t *copy = malloc(buf.len);
	int ret;

	assert_non_null(copy);
	memcpy(copy, buf.data, buf.len);
	wt_buf_clear(&out);
	ret = wt_perf_record_parse(&ids, copy, buf.len, &record) ||
	      wt_perf_counts_take(&counts, &record, &chain, &out, &certainty);
	free(copy);
	return ret ? -1 : (int)certainty;
}

static int say(struct said said)
{
	said.id = said.id ? said.id : ID;
	put_sample(&said, 4, 2);
	return take();
}

static void expect_payload(int certainty, const uint64_t *numbers, size_t n)
{
	struct wt_cursor cur = wt_cursor(out.data, out.len);

	assert_int_equal(wt_cur_u8(&cur), certainty);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(wt_cur_u64(&cur), numbers[i]);
	assert_false(cur.bad);
	assert_int_equal(wt_cur_left(&cur), 0);
}

static void a_step_is_the_difference(void **state)
{
	(void)state;
	assert_int_equal(say((struct said){.enabled = 10, .running = 10, .switches = 1, .a = 5, .b = 7}),
			 WT_COUNTS_EXACT);
	expect_payload(WT_COUNTS_EXACT, (const uint64_t[]){10, 10, 5, 7}, 4);
	assert_int_equal(say((struct said){.enabled = 25, .running = 25, .switches = 2, .a = 6, .b = 7}),
			 WT_COUNTS_EXACT);
	expect_payload(WT_COUNTS_EXACT, (const uint64_t[]){15, 15, 1, 0}, 4);
}

/* A switch that wrote no record, for whatever reason, is seen in the count of switches. */
static void a_missing_record_is_seen(void **state)
{
	(void)state;
	say((struct said){.switches = 1, .a = 1});
	assert_int_equal(say((struct said){.switches = 3, .a = 9}), WT_COUNTS_OVER_LOSS);
	expect_payload(WT_COUNTS_OVER_LOSS, (const uint64_t[]){0, 0, 8, 0}, 4);
	assert_int_equal(say((struct said){.switches = 4, .a = 9}), WT_COUNTS_EXACT);
	assert_int_equal(say((struct said){.switches = 5, .switches_lost = 1, .a = 9}), WT_COUNTS_OVER_LOSS);
}

static void the_first_record_may_be_missing(void **state)
{
	(void)state;
	assert_int_equal(say((struct said){.switches = 2, .a = 4}), WT_COUNTS_OVER_LOSS);
}

static void intervals_have_a_chain_of_their_own(void **state)
{
	const struct said first = {.id = ID + 1, .enabled = 10, .running = 10, .switches = 7, .a = 5, .b = 2};
	const struct said next = {.id = ID + 1, .enabled = 20, .running = 20, .switches = 9, .a = 6, .b = 2};
	const struct said lost = {
		.id = ID + 1, .enabled = 40, .running = 40, .clock_lost = 1, .a = 9, .b = 2};

	(void)state;
	assert_int_equal(say(first), WT_COUNTS_EXACT);
	expect_payload(WT_COUNTS_EXACT, (const uint64_t[]){10, 10, 5, 5, 2, 2}, 6);
	assert_int_equal(say((struct said){.switches = 1, .a = 3}), WT_COUNTS_EXACT);
	assert_int_equal(say(next), WT_COUNTS_EXACT);
	expect_payload(WT_COUNTS_EXACT, (const uint64_t[]){10, 10, 1, 6, 0, 2}, 6);
	assert_int_equal(say(lost), WT_COUNTS_OVER_LOSS);
}

static void multiplexed_is_not_exact(void **state)
{
	(void)state;
	say((struct said){.enabled = 10, .running = 10, .switches = 1});
	assert_int_equal(say((struct said){.enabled = 20, .running = 15, .switches = 2, .a = 3}),
			 WT_COUNTS_MULTIPLEXED);
	assert_int_equal(say((struct said){.enabled = 30, .running = 25, .switches = 3, .a = 3}),
			 WT_COUNTS_EXACT);
}

static void what_falls_is_no_count(void **state)
{
	(void)state;
	say((struct said){.enabled = 10, .running = 10, .switches = 1, .a = 5});
	assert_int_equal(say((struct said){.enabled = 20, .running = 20, .switches = 2, .a = 4}),
			 WT_COUNTS_OVER_LOSS);
	expect_payload(WT_COUNTS_OVER_LOSS, (const uint64_t[]){10, 10, 0, 0}, 4);
}

static void doubt_ends_with_the_next_record(void **state)
{
	(void)state;
	say((struct said){.switches = 1, .a = 5});
	wt_perf_chain_doubt(&chain, WT_CHAIN_BROKEN);
	assert_int_equal(say((struct said){.switches = 2, .a = 8}), WT_COUNTS_OVER_LOSS);
	expect_payload(WT_COUNTS_OVER_LOSS, (const uint64_t[]){0, 0, 3, 0}, 4);
	wt_perf_chain_doubt(&chain, WT_CHAIN_UNKNOWN);
	assert_int_equal(say((struct said){.switches = 3, .a = 9}), WT_COUNTS_OVER_LOSS);
	expect_payload(WT_COUNTS_OVER_LOSS, (const uint64_t[]){0, 0, 0, 0}, 4);
	assert_int_equal(say((struct said){.switches = 4, .a = 10}), WT_COUNTS_EXACT);
	expect_payload(WT_COUNTS_EXACT, (const uint64_t[]){0, 0, 1, 0}, 4);
}

/* Before Linux 6.0 events do not say what they lost. */
static void without_losses(void **state)
{
	(void)state;
	put_sample(&(struct said){.id = ID + 2, .switches = 1, .a = 2, .b = 3}, 4, 1);
	assert_int_equal(take(), WT_COUNTS_EXACT);
	expect_payload(WT_COUNTS_EXACT, (const uint64_t[]){0, 0, 2, 3}, 4);
}

static void other_groups_are_refused(void **state)
{
	const struct said said = {.id = ID, .switches = 1};

	(void)state;
	put_sample(&said, 3, 2);
	assert_int_equal(take(), -1);
	put_sample(&said, UINT64_MAX, 2);
	assert_int_equal(take(), -1);
	put_sample(&said, UINT64_C(1) << 60, 2);
	assert_int_equal(take(), -1);
	put_sample(&said, 4, 2);
	buf.len -= 8;
	fake_end(&buf);
	assert_int_equal(take(), -1);
	assert_int_equal(chain.last[WT_COUNTS_SWITCH].own, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_step_is_the_difference, setup, teardown),
		cmocka_unit_test_setup_teardown(a_missing_record_is_seen, setup, teardown),
		cmocka_unit_test_setup_teardown(the_first_record_may_be_missing, setup, teardown),
		cmocka_unit_test_setup_teardown(intervals_have_a_chain_of_their_own, setup, teardown),
		cmocka_unit_test_setup_teardown(multiplexed_is_not_exact, setup, teardown),
		cmocka_unit_test_setup_teardown(what_falls_is_no_count, setup, teardown),
		cmocka_unit_test_setup_teardown(doubt_ends_with_the_next_record, setup, teardown),
		cmocka_unit_test_setup_teardown(without_losses, setup, teardown),
		cmocka_unit_test_setup_teardown(other_groups_are_refused, setup, teardown),
	};

	return cmocka_run_group_tests_name("counts_chain", tests, NULL, NULL);
}
