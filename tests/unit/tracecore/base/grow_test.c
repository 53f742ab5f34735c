// SPDX-License-Identifier: MIT
#include "tracecore/base/grow.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void test_items_stay(void **state)
{
	uint32_t *items = NULL, cap = 0, n = 0, moves = 0;
	struct wt_err err = WT_ERR_INIT;

	(void)state;
	for (; n < 10000; n++) {
		uint32_t before = cap;

		assert_int_equal(wt_grow(&items, &cap, n, 1, &err), 0);
		moves += cap != before;
		items[n] = n * 7;
	}
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(items[i], i * 7);
	assert_true(moves <= 15);
	free(items);
}

/* Many at once, and arrays that share a capacity. */
static void test_arrays_that_share(void **state)
{
	char *narrow = NULL;
	long double *wide = NULL;
	size_t cap = 0;

	(void)state;
	for (size_t n = 0; n < 5000; n += 37) {
		size_t first = cap, second = cap;

		assert_int_equal(wt_grow(&narrow, &first, n, 37, NULL), 0);
		assert_int_equal(wt_grow(&wide, &second, n, 37, NULL), 0);
		assert_int_equal(first, second);
		assert_true(first >= n + 37);
		cap = first;
		for (size_t i = n; i < n + 37; i++) {
			narrow[i] = (char)i;
			wide[i] = (long double)i;
		}
	}
	for (size_t i = 0; i < 5000; i++)
		assert_true(narrow[i] == (char)i && wide[i] == (long double)i);
	free(narrow);
	free(wide);
}

static void test_without_a_capacity(void **state)
{
	uint64_t *items = NULL;
	uint32_t n = 0;

	(void)state;
	for (; n < 1000; n++) {
		assert_int_equal(wt_grow_one(&items, n, NULL), 0);
		items[n] = n;
	}
	while (n > 5)
		n--;
	for (; n < 1000; n++) {
		assert_int_equal(wt_grow_one(&items, n, NULL), 0);
		items[n] = n + 1;
	}
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(items[i], i < 5 ? i : i + 1);
	free(items);
}

static void test_filled(void **state)
{
	uint16_t *items = NULL;
	uint32_t cap = 0;

	(void)state;
	assert_int_equal(wt_grow_filled(&items, &cap, 20, 1, 0xff, NULL), 0);
	for (uint32_t i = 0; i < cap; i++) {
		assert_int_equal(items[i], 0xffff);
		items[i] = 1;
	}
	assert_int_equal(wt_grow_filled(&items, &cap, 20, 1, 0, NULL), 0);
	assert_int_equal(items[20], 1);
	assert_int_equal(wt_grow_filled(&items, &cap, 300, 1, 0, NULL), 0);
	assert_int_equal(items[20], 1);
	for (uint32_t i = 21; i < cap; i++)
		assert_true(items[i] == 0 || items[i] == 1);
	assert_int_equal(items[300], 0);
	free(items);
}

/* A number that does not fit is no room, and changes nothing. */
static void test_overflow(void **state)
{
	uint64_t *items = NULL, *were;
	uint8_t narrow = 0;
	size_t wide = 0;
	struct wt_err err = WT_ERR_INIT;

	(void)state;
	assert_int_equal(wt_grow(&items, &narrow, 0, 200, &err), 0);
	assert_int_equal(narrow, 200);
	were = items;
	assert_int_equal(wt_grow(&items, &narrow, 200, 1, &err), 0);
	assert_int_equal(narrow, 255);
	were = items;
	assert_int_equal(wt_grow(&items, &narrow, 255, 1, &err), -1);
	assert_int_equal(err.code, WT_ERR_NOMEM);
	assert_ptr_equal(items, were);
	assert_int_equal(narrow, 255);
	free(items);

	items = NULL;
	assert_int_equal(wt_grow(&items, &wide, SIZE_MAX, 1, NULL), -1);
	assert_int_equal(wt_grow(&items, &wide, SIZE_MAX / 4, 0, NULL), -1);
	assert_null(items);
	assert_int_equal(wide, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_items_stay),         cmocka_unit_test(test_arrays_that_share),
		cmocka_unit_test(test_without_a_capacity), cmocka_unit_test(test_filled),
		cmocka_unit_test(test_overflow),
	};

	return cmocka_run_group_tests_name("grow", tests, NULL, NULL);
}
