// SPDX-License-Identifier: MIT
#include "tracecore/base/intern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void equal_keys_get_equal_dense_ids(void **state)
{
	struct wt_intern table = {0};
	bool fresh;

	(void)state;
	for (uint32_t i = 0; i < 20000; i++) {
		assert_int_equal(wt_intern(&table, i % 100, i / 100, &fresh), i);
		assert_true(fresh);
	}
	for (uint32_t i = 0; i < 20000; i++) {
		assert_int_equal(wt_intern(&table, i % 100, i / 100, &fresh), i);
		assert_false(fresh);
		assert_int_equal(table.keys[i].a, i % 100);
		assert_int_equal(table.keys[i].b, i / 100);
	}
	assert_int_equal(table.count, 20000);
	wt_intern_deinit(&table);
}

static void order_of_the_two_words_matters(void **state)
{
	struct wt_intern table = {0};
	bool fresh;

	(void)state;
	assert_int_equal(wt_intern(&table, 1, 2, &fresh), 0);
	assert_int_equal(wt_intern(&table, 2, 1, &fresh), 1);
	assert_int_equal(wt_intern(&table, 0, 0, &fresh), 2);
	assert_int_equal(wt_intern(&table, UINT64_MAX, UINT64_MAX, &fresh), 3);
	assert_int_equal(wt_intern_find(&table, 0, 0), 2);
	wt_intern_deinit(&table);
}

static void finding_adds_nothing(void **state)
{
	struct wt_intern table = {0};
	bool fresh;

	(void)state;
	assert_int_equal(wt_intern_find(&table, 1, 2), WT_INTERN_NONE);
	wt_intern(&table, 1, 2, &fresh);
	assert_int_equal(wt_intern_find(&table, 1, 2), 0);
	assert_int_equal(wt_intern_find(&table, 1, 3), WT_INTERN_NONE);
	assert_int_equal(table.count, 1);
	wt_intern_deinit(&table);
}

static void clearing_starts_again_at_zero(void **state)
{
	struct wt_intern table = {0};
	bool fresh;

	(void)state;
	wt_intern_clear(&table);
	for (uint64_t i = 0; i < 1000; i++)
		wt_intern(&table, i, i, &fresh);
	wt_intern_clear(&table);
	assert_int_equal(wt_intern_find(&table, 1, 1), WT_INTERN_NONE);
	assert_int_equal(wt_intern(&table, 999, 999, &fresh), 0);
	assert_true(fresh);
	wt_intern_deinit(&table);
	wt_intern_deinit(&table);
}

static void strings_get_dense_ids_and_come_back(void **state)
{
	struct wt_strings table = {0};
	char text[32];
	bool fresh;
	size_t len;

	(void)state;
	for (uint32_t i = 0; i < 20000; i++) {
		int n = snprintf(text, sizeof(text), "name %u", i);

		assert_int_equal(wt_strings_add(&table, text, (size_t)n, &fresh), i);
		assert_true(fresh);
	}
	for (uint32_t i = 0; i < 20000; i++) {
		int n = snprintf(text, sizeof(text), "name %u", i);

		assert_int_equal(wt_strings_add(&table, text, (size_t)n, &fresh), i);
		assert_false(fresh);
		assert_int_equal(wt_strings_find(&table, text, (size_t)n), i);
		assert_string_equal(wt_strings_get(&table, i, &len), text);
		assert_int_equal(len, n);
	}
	wt_strings_deinit(&table);
}

/* Lengths around the eight bytes the hash takes at once; each differs from the others in length or last byte.
 */
static void every_byte_and_the_length_count(void **state)
{
	struct wt_strings table = {0};
	char bytes[20] = {0};
	uint32_t expected = 0;
	bool fresh;

	(void)state;
	for (size_t len = 0; len < sizeof(bytes); len++) {
		assert_int_equal(wt_strings_add(&table, bytes, len, &fresh), expected++);
		if (!len)
			continue;
		bytes[len - 1] = 1;
		assert_int_equal(wt_strings_add(&table, bytes, len, &fresh), expected++);
		bytes[len - 1] = 0;
	}
	assert_int_equal(table.count, expected);
	wt_strings_deinit(&table);
}

static void the_empty_string_is_a_string(void **state)
{
	struct wt_strings table = {0};
	bool fresh;
	size_t len = 9;

	(void)state;
	assert_int_equal(wt_strings_find(&table, "", 0), WT_INTERN_NONE);
	assert_string_equal(wt_strings_get(&table, 0, &len), "");
	assert_int_equal(len, 0);
	assert_int_equal(wt_strings_add(&table, NULL, 0, &fresh), 0);
	assert_true(fresh);
	assert_int_equal(wt_strings_find(&table, "", 0), 0);
	assert_int_equal(wt_strings_find(&table, NULL, 0), 0);
	assert_string_equal(wt_strings_get(&table, 0, NULL), "");
	assert_string_equal(wt_strings_get(&table, WT_INTERN_NONE, NULL), "");
	wt_strings_deinit(&table);
}

static void strings_clear_starts_again(void **state)
{
	struct wt_strings table = {0};
	bool fresh;

	(void)state;
	wt_strings_clear(&table);
	wt_strings_add(&table, "a", 1, &fresh);
	wt_strings_clear(&table);
	assert_int_equal(wt_strings_find(&table, "a", 1), WT_INTERN_NONE);
	assert_int_equal(wt_strings_add(&table, "b", 1, &fresh), 0);
	assert_string_equal(wt_strings_get(&table, 0, NULL), "b");
	wt_strings_deinit(&table);
	wt_strings_deinit(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_keys_get_equal_dense_ids),
		cmocka_unit_test(order_of_the_two_words_matters),
		cmocka_unit_test(finding_adds_nothing),
		cmocka_unit_test(clearing_starts_again_at_zero),
		cmocka_unit_test(strings_get_dense_ids_and_come_back),
		cmocka_unit_test(every_byte_and_the_length_count),
		cmocka_unit_test(the_empty_string_is_a_string),
		cmocka_unit_test(strings_clear_starts_again),
	};

	return cmocka_run_group_tests_name("intern", tests, NULL, NULL);
}
