// SPDX-License-Identifier: MIT
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <setjmp.h>
#include <cmocka.h>

#include "consumers/record/pair_table.h"

/* Grows from the first slots to memory that moves without being copied. */
enum { PAIRS = 300000 };

static struct wt_pair_table table;

static int teardown(void **state)
{
	(void)state;
	wt_pair_table_deinit(&table);
	return 0;
}

static uint32_t add(uint64_t a, uint32_t b)
{
	struct wt_pair_slot *slot;

	assert_true(wt_pair_table_reserve(&table));
	slot = wt_pair_table_find(&table, a, b);
	return slot->id ? slot->id - 1 : wt_pair_table_add(&table, slot, a, b);
}

static void fill_and_check(uint64_t (*word)(uint32_t i))
{
	for (uint32_t i = 0; i < PAIRS; i++) {
		assert_int_equal(add(word(i), i / 2), i);
		/* The last ones before and the first ones after a growth, and some of all. */
		if ((i & (i + 1)) == 0)
			for (uint32_t k = 0; k <= i; k++)
				assert_int_equal(add(word(k), k / 2), k);
	}
	for (uint32_t i = 0; i < PAIRS; i++)
		assert_int_equal(wt_pair_table_find(&table, word(i), i / 2)->id, i + 1);
	assert_int_equal(table.count, PAIRS);
}

static uint64_t scattered(uint32_t i)
{
	return wt_hash2(i, 7);
}

/* All searches begin in the last slots, so that they go on in the first. */
static uint64_t wrapping(uint32_t i)
{
	return (uint64_t)i << 32 | (UINT32_MAX - i % 5 - (i % 997 ? i : 0));
}

static uint64_t plain(uint32_t i)
{
	return UINT64_C(0x401000) + i;
}

static void test_scattered(void **state)
{
	(void)state;
	table.hashed = true;
	fill_and_check(scattered);
}

static void test_wrapping(void **state)
{
	(void)state;
	table.hashed = true;
	fill_and_check(wrapping);
}

static void test_plain(void **state)
{
	(void)state;
	table.hashed = false;
	fill_and_check(plain);
	wt_pair_table_clear(&table);
	assert_int_equal(wt_pair_table_find(&table, plain(1), 0)->id, 0);
	fill_and_check(plain);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_scattered, teardown),
		cmocka_unit_test_teardown(test_wrapping, teardown),
		cmocka_unit_test_teardown(test_plain, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
