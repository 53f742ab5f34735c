// SPDX-License-Identifier: MIT
/* Floods of user ids: how many are too many, and whose they are. */
#include "consumers/session/uid_flood.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tracecore/base/clock.h"

static void too_many_are_too_many_within_a_second(void **state)
{
	struct wt_uid_flood flood = {0};

	(void)state;
	for (uint32_t i = 0; i < WT_UID_FLOOD_MOST; i++)
		assert_false(wt_uid_flood_add(&flood, 7, 5));
	assert_true(wt_uid_flood_add(&flood, 7, 4 + WT_NSEC));
	/* The next second is another one. */
	assert_false(wt_uid_flood_add(&flood, 8, 5 + WT_NSEC));
	assert_int_equal(wt_uid_flood_largest(&flood)->uid, 8);
	for (uint32_t i = 0; i < 3 * WT_UID_FLOOD_MOST; i++)
		assert_false(wt_uid_flood_add(&flood, 7, i * (WT_NSEC / 10000)));
}

static void whoever_causes_most_is_found_among_many(void **state)
{
	struct wt_uid_flood flood = {0};

	(void)state;
	assert_null(wt_uid_flood_largest(&flood));
	for (uint32_t i = 0; i < 9000; i++) {
		wt_uid_flood_add(&flood, 1000 + i, 5);
		wt_uid_flood_add(&flood, 77, 5);
	}
	assert_non_null(wt_uid_flood_largest(&flood));
	assert_int_equal(wt_uid_flood_largest(&flood)->uid, 77);
	assert_in_range(wt_uid_flood_largest(&flood)->n, 1, 9000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(too_many_are_too_many_within_a_second),
		cmocka_unit_test(whoever_causes_most_is_found_among_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
