// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "consumers/analysis/pairs.h"
#include "tracecore/base/intern.h"

enum { N = 20000 };

/* Pair i of a stream with many repetitions: some keys with many partners, most with few. */
static uint64_t key_at(uint32_t i)
{
	return wt_hash2(1, i % 5 ? i % 7001 : i % 3);
}

static uint32_t with_at(uint32_t i)
{
	return i % 11 * (i % 13);
}

static uint32_t count_apart(void)
{
	struct wt_intern all = {0};
	uint32_t n;
	bool fresh;

	for (uint32_t i = 0; i < N; i++)
		wt_intern(&all, key_at(i), with_at(i), &fresh);
	n = all.count;
	wt_intern_deinit(&all);
	return n;
}

static void must_add(struct wt_view_pairs *pairs, uint64_t key, uint32_t with)
{
	struct wt_err err = WT_ERR_INIT;

	assert_int_equal(wt_view_pairs_add(pairs, key, with, &err), 0);
}

static void every_pair_comes_once_in_order(void **state)
{
	static const uint32_t rooms[] = {100, 1000, 3000, N, 2 * N};
	uint32_t apart = count_apart(), passes_before = UINT32_MAX;

	(void)state;
	for (size_t r = 0; r < sizeof(rooms) / sizeof(*rooms); r++) {
		struct wt_view_pairs pairs;
		struct wt_err err = WT_ERR_INIT;
		uint32_t seen = 0, passes = 0;
		uint64_t key = 0, with = 0;

		assert_int_equal(wt_view_pairs_init(&pairs, WT_PAIRS_SET, rooms[r], &err), 0);
		do {
			for (uint32_t i = 0; i < N; i++)
				must_add(&pairs, key_at(i), with_at(i));
			wt_view_pairs_settle(&pairs);
			for (uint32_t i = 0; i < pairs.n; i++) {
				const struct wt_view_pair *pair = &pairs.pairs[i];
				uint64_t k = (uint64_t)pair->high << 32 | pair->low;

				assert_true(!seen || k > key || (k == key && pair->with > with));
				key = k;
				with = pair->with;
				seen++;
			}
			passes++;
		} while (wt_view_pairs_next(&pairs));
		assert_int_equal(seen, apart);
		assert_true(passes <= passes_before);
		passes_before = passes;
		wt_view_pairs_deinit(&pairs);
	}
	assert_int_equal(passes_before, 1);
}

static void counts_add_up(void **state)
{
	struct wt_view_pairs pairs;
	struct wt_err err = WT_ERR_INIT;
	uint64_t sum = 0;
	uint32_t passes = 0;

	(void)state;
	assert_int_equal(wt_view_pairs_init(&pairs, WT_PAIRS_COUNT, 500, &err), 0);
	do {
		for (uint32_t i = 0; i < N; i++)
			must_add(&pairs, key_at(i), 1 + with_at(i));
		wt_view_pairs_settle(&pairs);
		for (uint32_t i = 0; i < pairs.n; i++)
			sum += pairs.pairs[i].with;
		passes++;
	} while (wt_view_pairs_next(&pairs));
	for (uint32_t i = 0; i < N; i++)
		sum -= 1 + with_at(i);
	assert_int_equal(sum, 0);
	assert_true(passes > 3);
	wt_view_pairs_deinit(&pairs);
}

static void a_count_beyond_32_bits_is_two(void **state)
{
	struct wt_view_pairs pairs;
	struct wt_err err = WT_ERR_INIT;

	(void)state;
	assert_int_equal(wt_view_pairs_init(&pairs, WT_PAIRS_COUNT, 4, &err), 0);
	must_add(&pairs, 7, UINT32_MAX);
	must_add(&pairs, 7, 5);
	wt_view_pairs_settle(&pairs);
	assert_int_equal(pairs.n, 2);
	assert_int_equal((uint64_t)pairs.pairs[0].with + pairs.pairs[1].with, UINT64_C(4) + UINT32_MAX + 1);
	wt_view_pairs_deinit(&pairs);
}

/* Pairs that must come together are more than there is room for. */
static void a_large_bundle_makes_room(void **state)
{
	struct wt_view_pairs pairs;
	struct wt_err err = WT_ERR_INIT;

	(void)state;
	assert_int_equal(wt_view_pairs_init(&pairs, WT_PAIRS_SET, 8, &err), 0);
	for (uint32_t i = 0; i < 1000; i++)
		must_add(&pairs, 42, 1000 - i);
	wt_view_pairs_settle(&pairs);
	assert_int_equal(pairs.n, 1000);
	assert_int_equal(pairs.pairs[999].with, 1000);
	assert_false(wt_view_pairs_next(&pairs));
	wt_view_pairs_deinit(&pairs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_pair_comes_once_in_order),
		cmocka_unit_test(counts_add_up),
		cmocka_unit_test(a_count_beyond_32_bits_is_two),
		cmocka_unit_test(a_large_bundle_makes_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
