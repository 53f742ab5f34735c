// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "consumers/analysis/pause_compare.h"
#include "consumers/analysis/pause_path.h"

static struct wt_pause_compare compare;

static int teardown(void **state)
{
	(void)state;
	wt_pause_compare_deinit(&compare);
	return 0;
}

static uint32_t word(const char *text)
{
	bool fresh;

	return wt_strings_add(&compare.words, text, strlen(text), &fresh);
}

static void add(int side, struct wt_pause_reason reason, uint64_t length)
{
	struct wt_err err = WT_ERR_INIT;

	assert_int_equal(wt_pause_compare_add(&compare, side, &reason, length, &err), 0);
}

static struct wt_pause_reason ran(const char *name)
{
	return (struct wt_pause_reason){.state = WT_PAUSE_RUNNING,
					.cause = WT_PAUSE_RAN,
					.itself = !name,
					.name = name ? word(name) : WT_PAUSE_NO_WORD,
					.by = WT_PAUSE_NO_WORD,
					.function = WT_PAUSE_NO_WORD};
}

static void is(uint32_t row, const struct wt_pause_reason *reason, uint64_t first, uint64_t other)
{
	assert_true(row < compare.n);
	assert_int_equal(compare.rows[row].reason.name, reason->name);
	assert_int_equal(compare.rows[row].reason.itself, reason->itself);
	assert_int_equal(compare.rows[row].length[0], first);
	assert_int_equal(compare.rows[row].length[1], other);
}

static void test_more(void **state)
{
	struct wt_pause_reason itself = ran(NULL), server = ran("server"), disk = ran("server");

	(void)state;
	disk.state = WT_PAUSE_BLOCKED;
	disk.cause = WT_PAUSE_DISK;
	disk.function = word("fsync");
	add(0, itself, 10);
	add(0, server, 5);
	add(0, disk, 900);
	add(0, itself, 10);
	add(1, server, 30);
	add(1, itself, 20);
	add(1, disk, 100);
	add(1, disk, 50);
	wt_pause_compare_settle(&compare);
	assert_int_equal(compare.n, 3);
	is(0, &disk, 900, 150);
	is(1, &itself, 20, 20);
	is(2, &server, 5, 30);
	assert_int_equal(wt_pause_more_by(&compare.rows[0]), 750);
	assert_int_equal(wt_pause_more_by(&compare.rows[2]), -25);
	assert_int_equal(compare.rows[0].segments[1], 2);
	assert_int_equal(compare.all.length[0], 925);
	assert_int_equal(compare.all.length[1], 200);
	assert_int_equal(wt_pause_more_by(&compare.all), 725);
}

static void test_empty(void **state)
{
	(void)state;
	wt_pause_compare_settle(&compare);
	assert_int_equal(compare.n, 0);
	assert_int_equal(wt_pause_more_by(&compare.all), 0);
}

/* ---- random reasons, against a table of all of them ---- */

enum { NAMES = 3, CAUSES = 4, FUNCTIONS = 3, REASONS = NAMES * CAUSES * FUNCTIONS, ADDED = 400 };

static uint64_t seed;

static unsigned chance(unsigned n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(seed >> 33) % n;
}

static void compare_at_random(void)
{
	static const char *const names[] = {NULL, "one", "two"};
	uint64_t want[REASONS][2] = {{0}}, sums[2] = {0};
	unsigned n = chance(ADDED), reasons = 0;

	for (unsigned i = 0; i < n; i++) {
		unsigned name = chance(NAMES), cause = chance(CAUSES), function = chance(FUNCTIONS);
		struct wt_pause_reason reason = ran(names[name]);
		int side = (int)chance(2);
		uint64_t length = 1 + chance(1000);

		reason.cause = (uint8_t)cause;
		reason.function = function ? word(function > 1 ? "f" : "g") : WT_PAUSE_NO_WORD;
		add(side, reason, length);
		want[(name * CAUSES + cause) * FUNCTIONS + function][side] += length;
	}
	wt_pause_compare_settle(&compare);
	for (unsigned i = 0; i < REASONS; i++)
		reasons += want[i][0] || want[i][1];
	assert_int_equal(compare.n, reasons);
	for (uint32_t i = 0; i < compare.n; i++) {
		const struct wt_pause_more *row = &compare.rows[i];
		unsigned name = 0, function = row->reason.function == WT_PAUSE_NO_WORD ? 0
					      : row->reason.function == word("g")      ? 1
										       : 2;

		if (!row->reason.itself)
			name = row->reason.name == word("one") ? 1 : 2;
		assert_memory_equal(row->length,
				    want[(name * CAUSES + row->reason.cause) * FUNCTIONS + function], 16);
		assert_true(!i || wt_pause_more_by(row) <= wt_pause_more_by(row - 1));
		sums[0] += row->length[0];
		sums[1] += row->length[1];
	}
	assert_memory_equal(sums, compare.all.length, sizeof(sums));
}

static void test_random(void **state)
{
	(void)state;
	for (uint64_t round = 1; round <= 300; round++) {
		seed = round * 7919;
		wt_pause_compare_deinit(&compare);
		compare_at_random();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_more, teardown),
		cmocka_unit_test_teardown(test_empty, teardown),
		cmocka_unit_test_teardown(test_random, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
