// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "consumers/record/leavers.h"

static struct wt_leavers leavers;

static int teardown(void **state)
{
	(void)state;
	wt_leavers_deinit(&leavers);
	return 0;
}

static void who_ended_leaves_next(void **state)
{
	struct wt_leaver who;

	(void)state;
	wt_leavers_end(&leavers, 3, 10, 11);
	assert_int_equal(wt_leavers_leave(&leavers, 2).tid, 0);
	who = wt_leavers_leave(&leavers, 3);
	assert_int_equal(who.pid, 10);
	assert_int_equal(who.tid, 11);
}

static void a_switch_clears_it(void **state)
{
	(void)state;
	wt_leavers_end(&leavers, 0, 10, 11);
	wt_leavers_leave(&leavers, 0);
	assert_int_equal(wt_leavers_leave(&leavers, 0).tid, 0);
}

static void any_number_of_a_cpu(void **state)
{
	(void)state;
	wt_leavers_end(&leavers, UINT32_MAX, 10, 11);
	assert_int_equal(wt_leavers_leave(&leavers, UINT32_MAX).tid, 0);
	wt_leavers_end(&leavers, 8191, 10, 11);
	wt_leavers_end(&leavers, 1, 10, 12);
	assert_int_equal(wt_leavers_leave(&leavers, 8191).tid, 11);
	assert_int_equal(wt_leavers_leave(&leavers, 1).tid, 12);
	assert_int_equal(wt_leavers_leave(&leavers, 8190).tid, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(who_ended_leaves_next, teardown),
		cmocka_unit_test_teardown(a_switch_clears_it, teardown),
		cmocka_unit_test_teardown(any_number_of_a_cpu, teardown),
	};

	return cmocka_run_group_tests_name("leavers", tests, NULL, NULL);
}
