// SPDX-License-Identifier: MIT
#include "tracecore/base/heads.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static void test_parts_of_a_head(void **state)
{
	wt_head head = wt_head_make(UINT64_MAX - 1, 7, 9);

	(void)state;
	assert_int_equal(wt_head_time(head), UINT64_MAX - 1);
	assert_int_equal(wt_head_order(head), 7);
	assert_int_equal(wt_head_slot(head), 9);
	assert_true(wt_head_make(1, 2, 9) < wt_head_make(1, 3, 0));
	assert_true(wt_head_make(1, UINT32_MAX, 0) < wt_head_make(2, 0, 0));
}

/* Streams that come and go while slots are added: always the smallest is first. */
static void test_first_is_smallest(void **state)
{
	enum { SLOTS = 300 };
	static wt_head plain[SLOTS];
	struct wt_heads heads = {0};
	uint32_t n = 1;

	(void)state;
	srandom(1);
	for (uint32_t i = 0; i < SLOTS; i++)
		plain[i] = WT_HEAD_NONE;
	assert_int_equal(wt_heads_grow(&heads, n), 0);
	assert_true(wt_heads_first(&heads) == WT_HEAD_NONE);
	for (int i = 0; i < 20000; i++) {
		uint32_t slot = (uint32_t)random() % n;
		wt_head least = WT_HEAD_NONE;

		plain[slot] = random() % 4 ? wt_head_make((uint64_t)random() % 50, slot, slot) : WT_HEAD_NONE;
		wt_heads_set(&heads, slot, plain[slot]);
		for (uint32_t s = 0; s < n; s++)
			least = plain[s] < least ? plain[s] : least;
		assert_true(wt_heads_first(&heads) == least);
		if (i % 50 == 0 && n < SLOTS)
			assert_int_equal(wt_heads_grow(&heads, ++n), 0);
	}
	assert_int_equal(n, SLOTS);
	wt_heads_deinit(&heads);
	assert_null(heads.tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts_of_a_head),
		cmocka_unit_test(test_first_is_smallest),
	};

	return cmocka_run_group_tests_name("heads", tests, NULL, NULL);
}
