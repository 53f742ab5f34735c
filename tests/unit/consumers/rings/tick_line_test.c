// SPDX-License-Identifier: MIT
#include "consumers/rings/tick_line.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tracecore/base/clock.h"

/* A counter of 2.5 ticks per ns that began at 1,000,000 when the clock stood at 5,000. */
static uint64_t fake_tick = 1000000;

static void read_fake(struct wt_tick_knot *ret)
{
	fake_tick += 5000; /* 2 us for every reading */
	*ret = (struct wt_tick_knot){fake_tick, 5000 + (fake_tick - 1000000) * 2 / 5};
}

static uint64_t truth(uint64_t tick)
{
	return 5000 + (tick - 1000000) * 2 / 5;
}

static void begin(struct wt_tick_line *line)
{
	struct wt_tick_knot first = {1000000, 5000};

	fake_tick = 1000000;
	wt_tick_line_init(line, &first);
	line->read = read_fake;
}

static void ticks_lie_on_the_line(void **state)
{
	struct wt_tick_line line;

	(void)state;
	begin(&line);
	for (uint64_t i = 0; i < 3000000; i += 997) {
		uint64_t tick = 1000000 + i;

		if (fake_tick < tick)
			fake_tick = tick;
		assert_in_range(wt_tick_line_ns(&line, tick), truth(tick) - 1, truth(tick));
	}
	assert_int_equal(line.clamped, 0);
}

/* What lay in a ring for long is converted as what is new, also after knots were thinned out. */
static void old_ticks_stay_on_the_line(void **state)
{
	struct wt_tick_line line;

	(void)state;
	begin(&line);
	for (int i = 0; i < 5000; i++)
		wt_tick_line_ns(&line, fake_tick + 1);
	assert_true(line.n <= WT_TICK_KNOTS);
	for (uint64_t tick = 1000000; tick < fake_tick; tick += 100003)
		assert_in_range(wt_tick_line_ns(&line, tick), truth(tick) - 1, truth(tick));
	/* and before the first knot, made longer backwards */
	assert_in_range(wt_tick_line_ns(&line, 999000), 4599, 4601);
	assert_int_equal(wt_tick_line_ns(&line, 0), 0);
}

/* Many at once are what they are one by one; what falls, or leaves the line in use, ends them. */
static void a_strip_lies_on_the_line(void **state)
{
	struct {
		uint64_t other, tick, more;
	} records[100];
	const uint8_t *ticks = (const uint8_t *)&records[0].tick;
	struct wt_tick_line line;
	uint64_t times[100];

	(void)state;
	begin(&line);
	fake_tick = 2000000;
	wt_tick_line_ns(&line, 1500000);
	for (uint64_t i = 0; i < 100; i++)
		records[i].tick = 1500000 + i / 2 * 777;
	assert_int_equal(wt_tick_line_strip(&line, ticks, sizeof(records[0]), 100, times), 100);
	for (uint32_t i = 0; i < 100; i++)
		assert_int_equal(times[i], wt_tick_line_ns(&line, records[i].tick));
	records[60].tick = records[59].tick - 1;
	assert_int_equal(wt_tick_line_strip(&line, ticks, sizeof(records[0]), 100, times), 60);
	records[60].tick = line.part.to;
	assert_int_equal(wt_tick_line_strip(&line, ticks, sizeof(records[0]), 100, times), 60);
	records[0].tick = line.part.from - 1;
	assert_int_equal(wt_tick_line_strip(&line, ticks, sizeof(records[0]), 100, times), 0);
}

static void conversion_never_falls(void **state)
{
	struct wt_tick_line line;
	uint64_t last = 0;

	(void)state;
	begin(&line);
	for (uint64_t tick = 1000000; tick < 1200000; tick++) {
		uint64_t now = wt_tick_line_ns(&line, tick);

		assert_true(now >= last);
		last = now;
		if (tick % 1000 == 0)
			wt_tick_line_ns(&line, tick + 4000);
	}
}

static void the_future_becomes_now_and_is_counted(void **state)
{
	struct wt_tick_line line;
	uint64_t now;

	(void)state;
	begin(&line);
	now = wt_tick_line_ns(&line, UINT64_MAX);
	assert_int_equal(now, truth(fake_tick));
	assert_int_equal(line.clamped, 1);
	assert_in_range(wt_tick_line_ns(&line, 1001000), 5399, 5400);
}

static void knots_that_do_not_rise_are_left_out(void **state)
{
	struct wt_tick_line line;

	(void)state;
	begin(&line);
	wt_tick_line_add(&line, &(struct wt_tick_knot){900000, 9000});
	wt_tick_line_add(&line, &(struct wt_tick_knot){2000000, 4000});
	assert_int_equal(line.n, 1);
	wt_tick_line_add(&line, &(struct wt_tick_knot){2000000, truth(2000000)});
	assert_int_equal(line.n, 2);
}

static uint64_t longest_pair;

static void read_timed(struct wt_tick_knot *ret)
{
	uint64_t before = wt_clock_now(), took;

	wt_clock_pair(&ret->tick, &ret->raw);
	took = wt_clock_now() - before;
	longest_pair = took > longest_pair ? took : longest_pair;
}

/* On this machine: what the counter says between two readings of the session clock lies between them. A knot
 * is the best of 16 pairs, no worse than a sixteenth of the time they took; emulators and busy machines take
 * long. */
static void the_machines_counter_agrees_with_its_clock(void **state)
{
	struct wt_tick_line line;
	struct wt_tick_knot first;

	(void)state;
	if (!wt_clock_has_counter()) {
		uint64_t tick, raw;

		wt_clock_pair(&tick, &raw);
		assert_int_equal(tick, raw);
		return;
	}
	read_timed(&first);
	wt_tick_line_init(&line, &first);
	line.read = read_timed;
	for (int i = 0; i < 2000; i++) {
		uint64_t before = wt_clock_now(), tick, raw, after;

		wt_clock_pair(&tick, &raw);
		after = wt_clock_now();
		uint64_t ns = wt_tick_line_ns(&line, tick), slack = 200 + longest_pair / 16;

		assert_in_range(ns, before - slack, after + slack);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ticks_lie_on_the_line),
		cmocka_unit_test(old_ticks_stay_on_the_line),
		cmocka_unit_test(a_strip_lies_on_the_line),
		cmocka_unit_test(conversion_never_falls),
		cmocka_unit_test(the_future_becomes_now_and_is_counted),
		cmocka_unit_test(knots_that_do_not_rise_are_left_out),
		cmocka_unit_test(the_machines_counter_agrees_with_its_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
