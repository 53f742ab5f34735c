// SPDX-License-Identifier: MIT
#include "tracecore/base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static uint64_t now(clockid_t id)
{
	struct timespec ts;

	assert_int_equal(clock_gettime(id, &ts), 0);
	return (uint64_t)ts.tv_sec * WT_NSEC + (uint64_t)ts.tv_nsec;
}

static void session_time_is_monotonic_raw(void **state)
{
	uint64_t before = now(CLOCK_MONOTONIC_RAW), session = wt_clock_now(),
		 after = now(CLOCK_MONOTONIC_RAW);

	(void)state;
	assert_in_range(session, before, after);
}

static void session_time_never_goes_back(void **state)
{
	uint64_t last = wt_clock_now();

	(void)state;
	for (int i = 0; i < 100000; i++) {
		uint64_t t = wt_clock_now();

		assert_true(t >= last);
		last = t;
	}
}

static void cpu_time_is_the_processs(void **state)
{
	uint64_t before = now(CLOCK_PROCESS_CPUTIME_ID), used = wt_clock_process_cpu(),
		 asked = wt_clock_cpu_of(getpid()), after = now(CLOCK_PROCESS_CPUTIME_ID);

	(void)state;
	assert_in_range(used, before, after);
	assert_in_range(asked, used, after);
	assert_int_equal(wt_clock_cpu_of(0), 0);
}

/* The offset lies between the extremes that reading the clocks around it allows. */
static void boot_offset_leads_to_boot_time(void **state)
{
	uint64_t raw_before = now(CLOCK_MONOTONIC_RAW), boot_before = now(CLOCK_BOOTTIME);
	int64_t offset = wt_clock_boot_offset();
	uint64_t raw_after = now(CLOCK_MONOTONIC_RAW), boot_after = now(CLOCK_BOOTTIME);

	(void)state;
	assert_true(offset >= (int64_t)(boot_before - raw_after));
	assert_true(offset <= (int64_t)(boot_after - raw_before));
}

static void the_four_clocks_belong_to_one_moment(void **state)
{
	uint64_t raw = now(CLOCK_MONOTONIC_RAW), mono = now(CLOCK_MONOTONIC), real = now(CLOCK_REALTIME);
	struct wt_clockset set;

	(void)state;
	wt_clock_sample(&set);
	assert_in_range(set.raw, raw, now(CLOCK_MONOTONIC_RAW));
	assert_in_range(set.mono, mono, now(CLOCK_MONOTONIC));
	assert_in_range(set.realtime, real, now(CLOCK_REALTIME));
	raw = now(CLOCK_MONOTONIC_RAW), mono = now(CLOCK_MONOTONIC), real = now(CLOCK_REALTIME);
	wt_clock_sample_times(&set);
	assert_in_range(set.raw, raw, now(CLOCK_MONOTONIC_RAW));
	assert_in_range(set.mono, mono, now(CLOCK_MONOTONIC));
	assert_in_range(set.realtime, real, now(CLOCK_REALTIME));
	assert_int_equal(set.tick, 0);
}

/* A tick is given exactly where the kernel keeps time by the same counter, and then it goes forward. */
static void ticks_only_where_the_kernel_trusts_them(void **state)
{
	char name[64] = "";
	FILE *f = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "r");
	struct wt_clockset first, second;
	bool trusted;

	(void)state;
	if (f) {
		assert_non_null(fgets(name, sizeof(name), f));
		fclose(f);
	}
	trusted = !strcmp(name, "tsc\n") || !strcmp(name, "arch_sys_counter\n");
	wt_clock_sample(&first);
	wt_clock_sample(&second);
	if (trusted)
		assert_true(first.tick > 0 && second.tick > first.tick);
	else
		assert_true(first.tick == 0 && second.tick == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(session_time_is_monotonic_raw),
		cmocka_unit_test(session_time_never_goes_back),
		cmocka_unit_test(cpu_time_is_the_processs),
		cmocka_unit_test(boot_offset_leads_to_boot_time),
		cmocka_unit_test(the_four_clocks_belong_to_one_moment),
		cmocka_unit_test(ticks_only_where_the_kernel_trusts_them),
	};

	return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
