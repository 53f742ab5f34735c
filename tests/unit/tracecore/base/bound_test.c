// SPDX-License-Identifier: MIT
#include "tracecore/base/bound.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const uint32_t sorted[] = {1, 3, 3, 3, 7, UINT32_MAX};
enum { N = sizeof(sorted) / sizeof(sorted[0]) };

/* Every part of the list, and every value in it, below, between and behind. */
static void is_where_a_walk_would_stop(void **state)
{
	static const uint32_t values[] = {0, 1, 2, 3, 4, 7, 8, UINT32_MAX - 1, UINT32_MAX};

	(void)state;
	for (uint32_t from = 0; from <= N; from++)
		for (uint32_t to = from; to <= N; to++)
			for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); v++) {
				uint32_t below = from, up_to = from;

				while (below < to && sorted[below] < values[v])
					below++;
				while (up_to < to && sorted[up_to] <= values[v])
					up_to++;
				assert_int_equal(WT_BOUND(i, from, to, sorted[i] < values[v]), below);
				assert_int_equal(WT_BOUND(i, from, to, sorted[i] <= values[v]), up_to);
			}
}

/* The sum of two indices would not fit. */
static void large_indices(void **state)
{
	const uint32_t last = UINT32_MAX - 1;

	(void)state;
	assert_int_equal(WT_BOUND(i, last - 2, UINT32_MAX, i < last), last);
	assert_int_equal(WT_BOUND(i, 0u, UINT32_MAX, i < last), last);
	assert_int_equal(WT_BOUND(i, 0u, UINT32_MAX, i < UINT32_MAX), UINT32_MAX);
}

static uint32_t asked;

static uint32_t ask(void)
{
	return asked++ ? 0 : N;
}

static void bounds_are_read_once(void **state)
{
	(void)state;
	asked = 0;
	assert_int_equal(WT_BOUND(i, 0, ask(), sorted[i] < 7), 4);
	assert_int_equal(asked, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_where_a_walk_would_stop),
		cmocka_unit_test(large_indices),
		cmocka_unit_test(bounds_are_read_once),
	};

	return cmocka_run_group_tests_name("bound", tests, NULL, NULL);
}
