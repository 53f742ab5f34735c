// SPDX-License-Identifier: MIT
/* Allowances: CPU time comes back with time, debts are paid off, work in common is paid by its share. */
#include "tracecore/base/allowance.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define MS UINT64_C(1000000)

static struct wt_allowance one(void)
{
	struct wt_allowance ret;

	wt_allowance_init(&ret, 50 * MS, 100 * MS, 1000, 0);
	return ret;
}

static void nobody_is_never_spent(void **state)
{
	(void)state;
	wt_allowance_begin(NULL);
	wt_allowance_end(NULL);
	wt_allowance_fill(NULL, 1);
	wt_allowance_grant(NULL, 1);
	wt_allowance_pay(NULL, 1, 1);
	wt_allowance_give_bytes(NULL, 1);
	assert_false(wt_allowance_is_spent(NULL));
	assert_false(wt_allowance_is_over(NULL));
	assert_false(wt_allowance_work(NULL, UINT64_MAX));
	assert_true(wt_allowance_take_bytes(NULL, UINT64_MAX));
}

static void time_brings_back_what_was_used(void **state)
{
	struct wt_allowance a = one();

	(void)state;
	a.work = 1000000;
	wt_allowance_pay(&a, 130 * MS, 1000000);
	assert_int_equal(a.left, -30 * (int64_t)MS);
	assert_true(wt_allowance_is_spent(&a));
	wt_allowance_fill(&a, 600 * MS);
	assert_true(wt_allowance_is_spent(&a));
	wt_allowance_fill(&a, 620 * MS);
	assert_int_equal(a.left, (int64_t)MS);
	assert_false(wt_allowance_is_spent(&a));
	assert_int_equal(a.held_ns, 620 * MS);
	wt_allowance_fill(&a, 3600 * 1000 * MS);
	assert_int_equal(a.left, 100 * MS);
	assert_int_equal(a.used, 130 * MS);
}

static void work_in_common_is_paid_by_share_and_never_above_its_price(void **state)
{
	struct wt_allowance a = one();

	(void)state;
	assert_false(wt_allowance_work(&a, 10000));
	wt_allowance_pay(&a, 4 * MS, 40000);
	assert_int_equal(a.left, 99 * MS);
	wt_allowance_work(&a, 1000);
	wt_allowance_pay(&a, 50 * MS, 1001);
	assert_int_equal(a.left, 99 * MS - 1000 * 4 * WT_ALLOWANCE_UNIT);
	wt_allowance_work(&a, 1000);
	wt_allowance_pay(&a, 1000, 1);
	assert_int_equal(a.left, 99 * MS - 1000 * 4 * WT_ALLOWANCE_UNIT - 1000);
	wt_allowance_fill(&a, MS);
	assert_true(wt_allowance_work(&a, 2 * 100 * MS / WT_ALLOWANCE_UNIT));
}

static void all_share_one(void **state)
{
	struct wt_allowance common = one(), a = one(), b = one();

	(void)state;
	a.common = b.common = &common;
	common.left = 50 * (int64_t)MS;
	a.work = 1000000;
	wt_allowance_pay(&a, 60 * MS, 1000000);
	assert_true(wt_allowance_is_spent(&a));
	assert_true(wt_allowance_is_spent(&b));
	wt_allowance_grant(&b, 5 * MS);
	assert_false(wt_allowance_is_spent(&b));
}

static void memory_is_bounded_and_counted(void **state)
{
	struct wt_allowance common = one(), a = one(), b = one();

	(void)state;
	a.common = b.common = &common;
	assert_true(wt_allowance_take_bytes(&a, 600));
	assert_false(wt_allowance_take_bytes(&a, 500));
	assert_false(wt_allowance_take_bytes(&b, 500));
	assert_int_equal(a.refused + b.refused, 2);
	wt_allowance_give_bytes(&a, 600);
	assert_true(wt_allowance_take_bytes(&b, 1000));
}

static void work_for_one_is_measured(void **state)
{
	struct wt_allowance a = one();

	(void)state;
	a.left = 1;
	wt_allowance_begin(&a);
	while (!wt_allowance_is_over(&a))
		;
	wt_allowance_end(&a);
	assert_true(a.used >= 1 && a.left <= 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_is_never_spent),
		cmocka_unit_test(time_brings_back_what_was_used),
		cmocka_unit_test(work_in_common_is_paid_by_share_and_never_above_its_price),
		cmocka_unit_test(all_share_one),
		cmocka_unit_test(memory_is_bounded_and_counted),
		cmocka_unit_test(work_for_one_is_measured),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
