// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "providers/perf/unsampled.h"
#include "providers/perf/vary.h"

enum { SPAN = 1000, THREADS = 5000 };

static struct wt_perf_unsampled account;

static int setup(void **state)
{
	(void)state;
	account = (struct wt_perf_unsampled){.span = SPAN};
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	wt_perf_unsampled_deinit(&account);
	return 0;
}

static void sample(uint32_t tid, unsigned n)
{
	while (n--)
		assert_int_equal(wt_perf_unsampled_sample(&account, tid), 0);
}

static void what_samples_leave_out(void **state)
{
	(void)state;
	sample(7, 3);
	assert_int_equal(wt_perf_unsampled_end(&account, 7, 5500), 2);
	assert_int_equal(account.owed, 500);
	assert_int_equal(wt_perf_unsampled_end(&account, 8, 400), 0);
	assert_int_equal(wt_perf_unsampled_end(&account, 9, 100), 1);
	assert_int_equal(account.owed, 0);
}

static void more_samples_than_time_owe_nothing(void **state)
{
	(void)state;
	sample(7, 3);
	assert_int_equal(wt_perf_unsampled_end(&account, 7, 2900), 0);
	assert_int_equal(account.owed, 0);
	assert_int_equal(wt_perf_unsampled_end(&account, 7, 1000), 1);
}

static void those_that_live_on(void **state)
{
	(void)state;
	sample(7, 3);
	sample(8, 10);
	assert_int_equal(wt_perf_unsampled_end(&account, 7, 3000), 0);
	assert_int_equal(wt_perf_unsampled_settle(&account, 3000 + 12000), 2);
}

/* The kernel counts them, and they are told as lost. */
static void lost_samples_are_not_unsampled(void **state)
{
	(void)state;
	sample(7, 3);
	wt_perf_unsampled_lost(&account, 4);
	assert_int_equal(wt_perf_unsampled_end(&account, 7, 6000), 0);
	wt_perf_unsampled_lost(&account, 4);
	assert_int_equal(wt_perf_unsampled_end(&account, 8, 2000), 1);
	wt_perf_unsampled_lost(&account, 6);
	assert_int_equal(wt_perf_unsampled_settle(&account, 8000 + 5000), 3);
}

static void the_idle_task_is_nobodys(void **state)
{
	(void)state;
	sample(0, 1000);
	assert_int_equal(account.n, 0);
	assert_int_equal(account.cap, 0);
}

/* Threads that come and go by chance: no sample and no nanosecond goes astray. */
static void everything_adds_up(void **state)
{
	static unsigned samples[THREADS];
	struct wt_vary vary = {.state = 5};
	uint64_t told = 0, counted = 0, taken = 0;

	(void)state;
	for (unsigned i = 0; i < 200000; i++) {
		uint32_t tid = (uint32_t)wt_vary_between(&vary, 0, THREADS);

		if (wt_vary_between(&vary, 0, 8)) {
			sample(tid + 1, 1);
			samples[tid]++;
			taken++;
		} else {
			uint64_t time = samples[tid] * (uint64_t)SPAN + wt_vary_between(&vary, 0, 3000);

			told += wt_perf_unsampled_end(&account, tid + 1, time);
			counted += time;
			samples[tid] = 0;
		}
	}
	for (uint32_t tid = 0; tid < THREADS; tid++) {
		counted += samples[tid] * (uint64_t)SPAN + 10;
		told += wt_perf_unsampled_end(&account, tid + 1, samples[tid] * (uint64_t)SPAN + 10);
	}
	assert_int_equal(account.n, 0);
	assert_int_equal(account.alive, 0);
	assert_int_equal(account.ended, counted);
	assert_int_equal((told + taken) * SPAN + account.owed, counted);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_samples_leave_out),   TEST(more_samples_than_time_owe_nothing),
		TEST(those_that_live_on),       TEST(lost_samples_are_not_unsampled),
		TEST(the_idle_task_is_nobodys), TEST(everything_adds_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
