// SPDX-License-Identifier: MIT
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "providers/perf/vary.h"
#include "tracecore/base/clock.h"

enum { HZ = 997 };

static void rates_add_up(void **state)
{
	struct wt_vary vary = {.state = 1};

	(void)state;
	for (unsigned n = 1; n <= WT_VARY_MOST; n++)
		for (unsigned i = 0; i < 1000; i++) {
			uint64_t periods[WT_VARY_MOST];
			double rate = 0;

			wt_vary_draw(&vary, HZ, n, 0, periods);
			for (unsigned k = 0; k < n; k++)
				rate += (double)WT_NSEC / (double)periods[k];
			assert_true(fabs(rate - HZ) < 0.01);
		}
}

static void periods_differ_by_five_at_most(void **state)
{
	struct wt_vary vary = {.state = 2};
	unsigned alike = 0;

	(void)state;
	for (unsigned i = 0; i < 1000; i++) {
		uint64_t p[WT_VARY_CPU], low = UINT64_MAX, high = 0;

		wt_vary_draw(&vary, HZ, WT_VARY_CPU, 0, p);
		for (unsigned k = 0; k < WT_VARY_CPU; k++) {
			low = p[k] < low ? p[k] : low;
			high = p[k] > high ? p[k] : high;
		}
		assert_true(high <= 5 * low + 4);
		alike += high == low;
	}
	assert_int_equal(alike, 0);
}

/* What a share is off by, in sigmas of samples at moments of pure chance. A draw begins all periods anew, as
 * the kernel does when it is given one. */
static double off_by(struct wt_vary *vary, double loop, double share, double seconds, unsigned n)
{
	double end = seconds * (double)WT_NSEC, at = 0;
	double begin = (double)wt_vary_between(vary, 0, WT_NSEC);
	uint64_t taken = 0, hits = 0, periods[WT_VARY_MOST];

	while (at < end) {
		double until = at + (double)wt_vary_wait(vary);

		wt_vary_draw(vary, HZ, n, WT_VARY_NS, periods);
		for (unsigned k = 0; k < n; k++)
			for (double t = at + (double)periods[k]; t < until; t += (double)periods[k]) {
				taken++;
				hits += fmod(begin + t, loop) < loop * share;
			}
		at = until;
	}
	assert_true(fabs((double)taken / (at / (double)WT_NSEC) - HZ) < HZ * 0.01);
	return fabs((double)hits / (double)taken - share) / sqrt(share * (1 - share) / (double)taken);
}

/* Loops of the lengths computers keep, and of any: 20 s of each, 20,000 samples. Beyond 3 sigma are 0.3 % of
 * samples at chance; the seeds are fixed, so this never depends on luck. */
static void no_loop_keeps_the_beat(void **state)
{
	static const double usual[] = {1, 2, 4, 10, 1.003, 0.1, 50};
	struct wt_vary vary = {.state = 3};
	unsigned beyond = 0, tried = 0;

	(void)state;
	for (unsigned i = 0; i < 700; i++) {
		double share = (double)wt_vary_between(&vary, 50, 500) / 1000;
		double ms = i % 2 ? usual[i / 2 % 7] : (double)wt_vary_between(&vary, 100, 50000) / 1000;
		double off = off_by(&vary, ms * 1e6, share, 20, WT_VARY_CPU);

		tried++;
		beyond += off > 3;
		assert_true(off < 6);
	}
	printf("%u of %u shares off by more than 3 sigma\n", beyond, tried);
	assert_true(beyond * 100 <= tried);
}

/* Loops about as long as the timers' periods are met most often. */
static void nor_does_one_as_long_as_a_period(void **state)
{
	struct wt_vary vary = {.state = 4};
	unsigned beyond = 0, tried = 0;

	(void)state;
	for (; tried < 2000; tried++)
		beyond += off_by(&vary, (double)wt_vary_between(&vary, 3000000, 6000000),
				 (double)wt_vary_between(&vary, 200, 500) / 1000, 20, WT_VARY_CPU) > 3;
	printf("%u of %u shares off by more than 3 sigma\n", beyond, tried);
	assert_true(beyond * 1000 <= tried * 6);
}

static void chance_differs(void **state)
{
	struct wt_vary a, b;
	uint64_t p[WT_VARY_MOST], q[WT_VARY_MOST];

	(void)state;
	wt_vary_seed(&a);
	wt_vary_seed(&b);
	wt_vary_draw(&a, HZ, 1, WT_VARY_NS, p);
	wt_vary_draw(&b, HZ, 2, WT_VARY_NS, q);
	assert_true(wt_vary_between(&a, 0, UINT64_MAX) != wt_vary_between(&b, 0, UINT64_MAX));
	for (unsigned i = 0; i < 1000; i++) {
		uint64_t wait = wt_vary_wait(&a);

		assert_true(wait >= WT_VARY_NS * 3 / 4 && wait < WT_VARY_NS * 5 / 4);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates_add_up),           cmocka_unit_test(periods_differ_by_five_at_most),
		cmocka_unit_test(no_loop_keeps_the_beat), cmocka_unit_test(nor_does_one_as_long_as_a_period),
		cmocka_unit_test(chance_differs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
