// SPDX-License-Identifier: MIT
/* The choice of a level from measurements alone. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "consumers/record/effort.h"
#include "tracecore/base/clock.h"
#include "tracecore/logfmt/write/writer.h"

#define MS (WT_NSEC / 1000)

static struct wt_effort effort;
static struct wt_effort_load load;

static void begin(bool bounded)
{
	load = (struct wt_effort_load){.now = 5 * WT_NSEC, .cpu = WT_NSEC};
	wt_effort_init(&effort, &load, bounded);
	assert_int_equal(wt_effort_level(&effort), 1);
}

/* ms later, with that share of CPU time and that fill; says whether the step changed. */
static bool after(uint64_t ms, uint32_t busy, uint32_t fill)
{
	enum wt_effort_step was = effort.step;
	bool changed;

	load.now += ms * MS;
	load.cpu += ms * MS * busy / 1000;
	load.fill = fill;
	changed = wt_effort_decide(&effort, &load);
	assert_int_equal(changed, was != effort.step);
	return changed;
}

static void a_full_ring_is_answered_at_once(void **state)
{
	(void)state;
	begin(false);
	assert_true(after(0, 0, 301));
	assert_int_equal(wt_effort_level(&effort), WT_LOG_LEVEL_STORED);
	assert_false(after(1, 1000, 900));
}

static void pressure_goes_step_by_step(void **state)
{
	(void)state;
	begin(false);
	assert_false(after(19, 1000, 299)); /* too short a time to judge */
	assert_true(after(1, 1000, 0));
	assert_int_equal(effort.step, WT_EFFORT_QUICK);
	assert_true(after(20, 100, 151));
	assert_int_equal(effort.step, WT_EFFORT_STORED);
	assert_false(after(20, 1000, 200));
}

static void calm_has_to_last(void **state)
{
	(void)state;
	begin(false);
	after(0, 0, 999);
	for (int i = 0; i < 10; i++)
		assert_false(after(100, 300, 10));
	assert_true(after(100, 300, 10));
	assert_int_equal(effort.step, WT_EFFORT_QUICK);
	for (int i = 0; i < 10; i++)
		assert_false(after(100, 300, 10));
	assert_false(after(100, 300, 61)); /* from the beginning */
	for (int i = 0; i < 10; i++)
		assert_false(after(100, 300, 10));
	assert_true(after(100, 300, 10));
	assert_int_equal(effort.step, WT_EFFORT_NORMAL);
}

static void the_last_step_is_for_idle_ones(void **state)
{
	(void)state;
	begin(false);
	for (int i = 0; i < 30; i++)
		assert_false(after(100, 30, 0));
	assert_true(after(100, 29, 0));
	assert_int_equal(wt_effort_level(&effort), 3);
	assert_false(after(5000, 0, 0));
	assert_true(after(20, 700, 0));
	assert_int_equal(wt_effort_level(&effort), 1);
}

/* Neither calm nor behind: it stays where it is, for whatever time. */
static void between_the_bounds_nothing_changes(void **state)
{
	(void)state;
	begin(false);
	for (int i = 0; i < 100; i++)
		assert_false(after(100, 351 + (uint32_t)i * 2, 150));
}

static void a_bounded_log_is_never_stored(void **state)
{
	(void)state;
	begin(true);
	assert_true(after(0, 1000, 1000));
	assert_int_equal(wt_effort_level(&effort), -5);
	assert_false(after(100, 1000, 1000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_full_ring_is_answered_at_once),
		cmocka_unit_test(pressure_goes_step_by_step),
		cmocka_unit_test(calm_has_to_last),
		cmocka_unit_test(the_last_step_is_for_idle_ones),
		cmocka_unit_test(between_the_bounds_nothing_changes),
		cmocka_unit_test(a_bounded_log_is_never_stored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
