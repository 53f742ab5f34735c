// SPDX-License-Identifier: MIT
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "consumers/counting/estimate.h"

#define MS UINT64_C(1000000)

static void what_ran_all_the_time_is_exact(void **state)
{
	const struct wt_count count = {12345, 10 * MS, 10 * MS};
	const struct wt_estimate estimate = wt_estimate_of(&count, NULL);
	const struct wt_span span = wt_estimate_span(&estimate);

	(void)state;
	assert_true(estimate.value == 12345 && estimate.half == 0);
	assert_true(span.low == 12345 && span.high == 12345);
}

static void without_batches_no_bounds_are_known(void **state)
{
	const struct wt_count count = {1000, 10 * MS, 5 * MS};
	struct wt_batches one = {0};
	struct wt_estimate estimate = wt_estimate_of(&count, NULL);
	struct wt_span span = wt_estimate_span(&estimate);

	(void)state;
	assert_true(estimate.value == 2000);
	assert_true(span.low > span.high);
	wt_batches_add(&one, &count);
	estimate = wt_estimate_of(&count, &one);
	span = wt_estimate_span(&estimate);
	assert_true(span.low > span.high);
}

/* A rate per ms in each of n steps of 10 ms, of which the counter runs in `on` of every `of`. Returns the
 * truth. */
static double simulate(unsigned n, double (*rate)(unsigned step), unsigned on, unsigned of, unsigned phase,
		       struct wt_count *count, struct wt_batches *batches)
{
	double truth = 0;

	*count = (struct wt_count){0};
	*batches = (struct wt_batches){0};
	for (unsigned i = 0; i < n; i++) {
		struct wt_count step = {0, 10 * MS, (i + phase) % of < on ? 10 * MS : 0};

		truth += 10 * rate(i);
		if (step.running)
			step.value = (uint64_t)(10 * rate(i));
		count->value += step.value;
		count->enabled += step.enabled;
		count->running += step.running;
		wt_batches_add(batches, &step);
	}
	return truth;
}

static double constant(unsigned step)
{
	(void)step;
	return 1000;
}

static uint32_t seed;

static uint32_t noise(void)
{
	seed = seed * 1664525u + 1013904223u;
	return seed >> 8;
}

/* On or off, for lengths that are drawn; 8000 steps at most. */
static unsigned char bursts[8000];

static void draw_bursts(uint32_t from)
{
	unsigned char on = 0;

	seed = from;
	for (unsigned i = 0; i < sizeof(bursts); on = !on)
		for (unsigned left = 1 + noise() % 40; left && i < sizeof(bursts); left--)
			bursts[i++] = on;
}

static double bursty(unsigned step)
{
	return bursts[step] ? 2000 : 100;
}

static void constant_rates_have_narrow_bounds(void **state)
{
	struct wt_batches batches;
	struct wt_count count;
	double truth = simulate(500, constant, 7, 24, 0, &count, &batches);
	struct wt_estimate estimate = wt_estimate_of(&count, &batches);

	(void)state;
	assert_true(fabs(estimate.value - truth) < truth / 1000);
	assert_true(estimate.half >= 0 && estimate.half < truth / 100);
}

/* The promise itself: of many bursty loads, whose seeds are fixed, the bounds hold the truth in 95 %. */
static void bounds_hold_the_truth_of_bursty_rates(void **state)
{
	unsigned held = 0, runs = 1000;

	(void)state;
	for (unsigned i = 0; i < runs; i++) {
		struct wt_batches batches;
		struct wt_count count;
		struct wt_estimate estimate;
		struct wt_span span;
		double truth;

		draw_bursts(i);
		truth = simulate(4000, bursty, 7, 24, i % 24, &count, &batches);
		estimate = wt_estimate_of(&count, &batches);
		span = wt_estimate_span(&estimate);
		held += span.low <= truth && truth <= span.high;
		assert_true(span.low >= (double)count.value);
	}
	if (held < runs * 93 / 100)
		fail_msg("the bounds hold the truth in %u of %u runs", held, runs);
	if (held == runs)
		fail_msg("bounds that always hold are wider than they say");
}

/* What a load has done in its first `ms`, that counts 1000 per ms in the first `on` of every `burst` ms. */
static double done(double burst, double on, double ms)
{
	double bursts_before = floor(ms / burst);

	return 1000 * (bursts_before * on + fmin(ms - bursts_before * burst, on));
}

static double unit_noise(void)
{
	return noise() / (double)(1u << 24);
}

/* Turns of 4 ms: of 24 to 30, as drawn for each round, the counter has 7 that follow each other. Read every
 * 20 to 60 ms, as a run does. Returns whether the bounds hold the truth. */
static bool held_in_turns(double burst, double on, double until)
{
	struct wt_batches batches = {0};
	struct wt_count count = {0}, since = {0};
	double start = 1000 * unit_noise(), now = 0, turn_ends = 112 * unit_noise(),
	       read = 20 + 40 * unit_noise();
	double counted = 0, truth = done(burst, on, start + until) - done(burst, on, start);
	bool runs = false;
	struct wt_estimate estimate;
	struct wt_span span;

	while (now < until) {
		double next = fmin(fmin(turn_ends, read), until);

		since.enabled += (uint64_t)((next - now) * (double)MS);
		since.running += runs ? (uint64_t)((next - now) * (double)MS) : 0;
		counted += runs ? done(burst, on, start + next) - done(burst, on, start + now) : 0;
		now = next;
		if (now >= turn_ends) {
			runs = !runs;
			turn_ends += runs ? 28 : 4 * (17 + noise() % 7);
		}
		if (now < read && now < until)
			continue;
		since.value = (uint64_t)counted - count.value;
		wt_batches_add(&batches, &since);
		count = (struct wt_count){(uint64_t)counted, count.enabled + since.enabled,
					  count.running + since.running};
		since = (struct wt_count){0};
		read = now + 20 + 40 * unit_noise();
	}
	estimate = wt_estimate_of(&count, &batches);
	span = wt_estimate_span(&estimate);
	return span.low <= truth && truth <= span.high;
}

/* The same promise for loads that repeat, of which the seen part and the unseen one are no independent draws.
 */
static void bounds_hold_the_truth_of_periodic_bursts(void **state)
{
	static const struct {
		double burst, on, until;
	} loads[] = {{10, 3, 5000}, {10, 1, 5000},  {20, 6, 5000},  {3, 1, 5000},   {40, 4, 2000},
		     {7, 2, 2000},  {96, 28, 5000}, {10, 3, 20000}, {250, 80, 5000}};
	const unsigned runs = 1000;

	(void)state;
	seed = 1;
	for (size_t i = 0; i < sizeof(loads) / sizeof(loads[0]); i++) {
		unsigned held = 0;

		for (unsigned k = 0; k < runs; k++)
			held += held_in_turns(loads[i].burst, loads[i].on, loads[i].until);
		if (held < runs * 95 / 100)
			fail_msg("bursts of %g in %g ms, %g ms long: the bounds hold the truth in %u of %u "
				 "runs",
				 loads[i].on, loads[i].burst, loads[i].until, held, runs);
	}
}

/* Reads that cut one turn do not make it more. */
static void few_turns_have_no_bounds(void **state)
{
	struct wt_batches batches = {0};
	struct wt_count count = {0};

	(void)state;
	for (unsigned i = 0; i < 100; i++) { /* turns of 20 reads, 3 of them and the ends of 2 more */
		bool edge = i % 20 == 0, runs = i / 20 % 2 == 0;
		struct wt_count step = {i, 10 * MS, edge ? 5 * MS : runs ? 10 * MS : 0};

		count.value += step.value;
		count.enabled += step.enabled;
		count.running += step.running;
		wt_batches_add(&batches, &step);
	}
	assert_true(wt_estimate_of(&count, &batches).half < 0);
}

static void batches_join_without_loss(void **state)
{
	struct wt_batches batches = {0};
	double value = 0, running = 0;

	(void)state;
	for (unsigned i = 0; i < 1000; i++)
		wt_batches_add(&batches, &(struct wt_count){i, 2 * MS, MS});
	assert_true(batches.n >= WT_BATCHES && batches.n <= 2 * WT_BATCHES);
	for (unsigned i = 0; i < batches.n; i++) {
		value += batches.batch[i].value;
		running += batches.batch[i].running;
	}
	assert_true(value + batches.part.value == 999 * 1000 / 2);
	assert_true(running + batches.part.running == 1000.0 * MS);
}

static void sums_of_estimates(void **state)
{
	const struct wt_estimate a = {100, 3, 50}, b = {200, 4, 200}, unknown = {10, -1, 5};
	struct wt_estimate sum = wt_estimate_add(a, b);

	(void)state;
	assert_true(sum.value == 300 && sum.half == 7 && sum.least == 250);
	assert_true(wt_estimate_add(sum, unknown).half < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_ran_all_the_time_is_exact),
		cmocka_unit_test(without_batches_no_bounds_are_known),
		cmocka_unit_test(constant_rates_have_narrow_bounds),
		cmocka_unit_test(bounds_hold_the_truth_of_bursty_rates),
		cmocka_unit_test(bounds_hold_the_truth_of_periodic_bursts),
		cmocka_unit_test(few_turns_have_no_bounds),
		cmocka_unit_test(batches_join_without_loss),
		cmocka_unit_test(sums_of_estimates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
