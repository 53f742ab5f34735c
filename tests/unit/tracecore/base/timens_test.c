// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <time.h>

#include "tracecore/base/clock.h"
#include "tracecore/base/timens.h"

static void offsets_are_read(void **state)
{
	static const struct {
		const char *text;
		int64_t monotonic, boottime;
	} cases[] = {
		{"monotonic           0         0\nboottime            0         0\n", 0, 0},
		{"monotonic        5000         0\nboottime         7000         0\n", 5000000000000,
		 7000000000000},
		{"monotonic          -2 500000000\nboottime           -1         1\n", -1500000000,
		 -999999999},
		{"boottime 3 4\n", 0, 3000000004},
		{"monotonic", 0, 0},
		{"", 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct wt_timens got = wt_timens_parse(cases[i].text);

		assert_int_equal(got.monotonic, cases[i].monotonic);
		assert_int_equal(got.boottime, cases[i].boottime);
	}
}

static uint64_t read_raw(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return (uint64_t)ts.tv_sec * WT_NSEC + (uint64_t)ts.tv_nsec;
}

/* Whatever namespace the test runs in: all clocks are moved by the same. */
static void clocks_lie_between(void **state)
{
	uint64_t moved = (uint64_t)wt_timens()->monotonic, before = read_raw() - moved, now;
	struct wt_clockset set;

	(void)state;
	wt_clock_sample(&set);
	wt_timens_forget();
	now = wt_clock_now();
	assert_in_range(set.raw, before, now);
	assert_in_range(now, set.raw, read_raw() - moved);
	assert_int_equal(wt_timens()->monotonic, (int64_t)moved);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(offsets_are_read),
		cmocka_unit_test(clocks_lie_between),
	};

	return cmocka_run_group_tests_name("base/timens", tests, NULL, NULL);
}
