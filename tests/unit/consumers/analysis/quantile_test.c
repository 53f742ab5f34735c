// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "consumers/analysis/quantile.h"

static void small_integers_are_exact(void **state)
{
	(void)state;
	for (int i = -255; i < 256; i++)
		assert_true(wt_quantile_value(wt_quantile_bucket(i)) == i);
}

static void others_are_near(void **state)
{
	(void)state;
	for (double v = 1e-9; v < 1e18; v *= 1.37) {
		double up = wt_quantile_value(wt_quantile_bucket(v)) / v;
		double down = wt_quantile_value(wt_quantile_bucket(-v)) / -v;

		assert_true(up > 0.992 && up < 1.008);
		assert_true(down > 0.992 && down < 1.008);
	}
}

static void buckets_keep_the_order(void **state)
{
	uint64_t last = 0;

	(void)state;
	for (int i = -5000; i <= 5000; i++) {
		uint64_t bucket = wt_quantile_bucket(i * 3.7);

		assert_true(bucket >= last);
		last = bucket;
	}
}

static void ranks(void **state)
{
	struct wt_intern pairs = {0};
	uint64_t counts[200];
	uint32_t *order;
	double v;
	bool fresh;

	(void)state;
	for (uint32_t i = 100; i-- > 0;) {
		uint32_t at = wt_intern(&pairs, 7, wt_quantile_bucket(i + 1), &fresh);

		counts[at] = 1;
	}
	counts[wt_intern(&pairs, 3, wt_quantile_bucket(42), &fresh)] = 1000;
	order = wt_quantile_order(&pairs);
	assert_non_null(order);
	assert_true(wt_quantile(&pairs, counts, order, 7, 0.5, &v));
	assert_true(v == 50);
	assert_true(wt_quantile(&pairs, counts, order, 7, 0.99, &v));
	assert_true(v == 99);
	assert_true(wt_quantile(&pairs, counts, order, 3, 0.01, &v));
	assert_true(v == 42);
	assert_false(wt_quantile(&pairs, counts, order, 5, 0.5, &v));
	free(order);
	wt_intern_deinit(&pairs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_integers_are_exact),
		cmocka_unit_test(others_are_near),
		cmocka_unit_test(buckets_keep_the_order),
		cmocka_unit_test(ranks),
	};

	return cmocka_run_group_tests_name("quantile", tests, NULL, NULL);
}
