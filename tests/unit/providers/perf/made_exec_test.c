// SPDX-License-Identifier: MIT
#include "providers/perf/made_exec.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define SECOND 1000000000ULL
#define SINCE  (10 * SECOND)

static struct wt_made_exec *made;

static int begin(void **state)
{
	(void)state;
	made = wt_made_exec_create(SINCE);
	return made ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	wt_made_exec_destroy(made);
	return 0;
}

static void add(uint32_t pid, uint64_t start, uint64_t end, uint64_t time)
{
	wt_made_exec_add(made, &(struct wt_bpf_made_exec){.pid = pid, .start = start, .end = end}, time);
}

static void what_was_written_is_told_of_its_event_alone(void **state)
{
	(void)state;
	add(7, 0x1000, 0x3000, 20 * SECOND);
	assert_int_equal(wt_made_exec_ask(made, 7, 0x1000, 0x3000, 20 * SECOND + 50), WT_MADE_EXEC_WRITTEN);
	assert_int_equal(wt_made_exec_ask(made, 7, 0x1000, 0x3000, 20 * SECOND + 50), WT_MADE_EXEC_WRITTEN);
	/* Another process, another place, and what ends where it begins. */
	assert_int_equal(wt_made_exec_ask(made, 8, 0x1000, 0x3000, 20 * SECOND + 50), WT_MADE_EXEC_CLEAN);
	assert_int_equal(wt_made_exec_ask(made, 7, 0x3000, 0x4000, 20 * SECOND + 50), WT_MADE_EXEC_CLEAN);
	assert_int_equal(wt_made_exec_ask(made, 7, 0, 0x1000, 20 * SECOND + 50), WT_MADE_EXEC_CLEAN);
}

/* Another event there has no record of its own, or one that goes with it cannot be told from this one. */
static void nothing_is_clean_where_something_was_written(void **state)
{
	(void)state;
	add(7, 0x1000, 0x3000, 20 * SECOND);
	assert_int_equal(wt_made_exec_ask(made, 7, 0x1000, 0x3000, 20 * SECOND + 50), WT_MADE_EXEC_WRITTEN);
	assert_int_equal(wt_made_exec_ask(made, 7, 0x2000, 0x9000, 20 * SECOND + 90), WT_MADE_EXEC_UNKNOWN);
	assert_int_equal(wt_made_exec_ask(made, 7, 0x2000, 0x9000, 90 * SECOND), WT_MADE_EXEC_UNKNOWN);
	/* Written later, read before the event that it does not belong to. */
	add(9, 0x1000, 0x3000, 20 * SECOND);
	assert_int_equal(wt_made_exec_ask(made, 9, 0x1000, 0x3000, 19 * SECOND), WT_MADE_EXEC_UNKNOWN);
}

static void each_of_two_has_its_own(void **state)
{
	(void)state;
	add(7, 0x1000, 0x2000, 20 * SECOND);
	add(7, 0x1000, 0x2000, 21 * SECOND);
	assert_int_equal(wt_made_exec_ask(made, 7, 0x1000, 0x2000, 20 * SECOND + 1), WT_MADE_EXEC_WRITTEN);
	assert_int_equal(wt_made_exec_ask(made, 7, 0x1000, 0x2000, 21 * SECOND + 1), WT_MADE_EXEC_WRITTEN);
}

static void what_came_before_or_was_lost_is_unknown(void **state)
{
	(void)state;
	assert_int_equal(wt_made_exec_ask(made, 7, 0x1000, 0x2000, SINCE - 1), WT_MADE_EXEC_UNKNOWN);
	assert_int_equal(wt_made_exec_ask(made, 7, 0x1000, 0x2000, SINCE), WT_MADE_EXEC_CLEAN);
	wt_made_exec_lose(made, 30 * SECOND);
	wt_made_exec_lose(made, 25 * SECOND);
	assert_int_equal(wt_made_exec_ask(made, 7, 0x1000, 0x2000, 30 * SECOND - 1), WT_MADE_EXEC_UNKNOWN);
	assert_int_equal(wt_made_exec_ask(made, 7, 0x1000, 0x2000, 30 * SECOND), WT_MADE_EXEC_CLEAN);
}

/* More records than are kept: of a process whose records went nothing is called clean, others are not
 * concerned. */
static void the_oldest_go(void **state)
{
	(void)state;
	add(7, 0x1000, 0x2000, 20 * SECOND);
	for (uint64_t i = 0; i < 100000; i++)
		add(8, 0x1000 * i, 0x1000 * (i + 1), 21 * SECOND + i);
	assert_int_equal(wt_made_exec_ask(made, 7, 0x1000, 0x2000, 20 * SECOND + 1), WT_MADE_EXEC_UNKNOWN);
	assert_int_equal(wt_made_exec_ask(made, 7, 0x5000, 0x6000, 40 * SECOND), WT_MADE_EXEC_UNKNOWN);
	assert_int_equal(wt_made_exec_ask(made, 8, 0, 0x1000, 40 * SECOND), WT_MADE_EXEC_UNKNOWN);
	assert_int_equal(wt_made_exec_ask(made, 8, 0x1000 * 99999, 0x1000 * 100000, 21 * SECOND + 99999),
			 WT_MADE_EXEC_WRITTEN);
	/* Not looked at any more, and therefore not clean. */
	assert_int_equal(wt_made_exec_ask(made, 8, 0x1000 * 99000, 0x1000 * 99001, 21 * SECOND + 99000),
			 WT_MADE_EXEC_UNKNOWN);
	assert_int_equal(wt_made_exec_ask(made, 9, 0x1000, 0x2000, 40 * SECOND), WT_MADE_EXEC_CLEAN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_was_written_is_told_of_its_event_alone, begin, end),
		cmocka_unit_test_setup_teardown(nothing_is_clean_where_something_was_written, begin, end),
		cmocka_unit_test_setup_teardown(each_of_two_has_its_own, begin, end),
		cmocka_unit_test_setup_teardown(what_came_before_or_was_lost_is_unknown, begin, end),
		cmocka_unit_test_setup_teardown(the_oldest_go, begin, end),
	};

	return cmocka_run_group_tests_name("made_exec", tests, NULL, NULL);
}
