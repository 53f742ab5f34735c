// SPDX-License-Identifier: MIT
/* Counts at switches: who is named where the kernel names nobody, and who is left out. */
#include "tests/unit/consumers/recorder_fixture.h"

static uint32_t k_switch;

/* A ring is of the CPU that is its id. */
static void put_switch(struct ring *ring, uint64_t time, uint32_t tid, uint8_t certainty)
{
	struct wt_buf buf = {0};

	wt_buf_put_u8(&buf, certainty);
	wt_buf_put_u64(&buf, 10);
	wt_buf_put_u64(&buf, 10);
	put(ring, k_switch, time, tid, &buf);
	wt_buf_deinit(&buf);
}

static void begin(struct wt_recorder_config config)
{
	struct wt_provider *provider;
	uint32_t first;

	assert_int_equal(wt_builtin_provider("counters", &provider, &err), 0);
	assert_int_equal(wt_kinds_add(&kinds, provider, &first, &err), 0);
	k_switch = kind_of("counters", WT_COUNTERS_SWITCH);
	recreate(config);
	put_proc(&ring_a, k_rundown, 10, 50, 1, "sh");
	put_proc(&ring_a, k_rundown, 11, 60, 1, "ls");
}

/* Of the switch at that time. */
static const char *named(uint64_t time)
{
	for (uint32_t i = 0; i < fake->n_events; i++)
		if (fake->events[i].kind == k_switch && fake->events[i].time == time)
			return process_of(&fake->events[i]);
	return "left out";
}

static void who_ended_is_who_leaves(void **state)
{
	(void)state;
	begin((struct wt_recorder_config){0});
	put_switch(&ring_a, 20, 50, WT_COUNTS_EXACT);
	put_proc(&ring_a, k_stop, 30, 60, 1, "");
	put_switch(&ring_b, 35, UINT32_MAX, WT_COUNTS_EXACT);
	put_switch(&ring_a, 40, UINT32_MAX, WT_COUNTS_EXACT);
	put_switch(&ring_a, 50, UINT32_MAX, WT_COUNTS_EXACT);
	round_all();
	assert_string_equal(named(20), "sh");
	assert_string_equal(named(35), "?");
	assert_string_equal(named(40), "ls");
	assert_string_equal(named(50), "?");
}

/* It left, and whoever comes after it is somebody else. */
static void a_switch_in_between(void **state)
{
	(void)state;
	begin((struct wt_recorder_config){0});
	put_proc(&ring_a, k_stop, 30, 60, 1, "");
	put_switch(&ring_a, 31, 50, WT_COUNTS_EXACT);
	put_switch(&ring_a, 32, UINT32_MAX, WT_COUNTS_EXACT);
	round_all();
	assert_string_equal(named(31), "sh");
	assert_string_equal(named(32), "?");
}

static void over_a_loss_names_nobody(void **state)
{
	(void)state;
	begin((struct wt_recorder_config){0});
	put_proc(&ring_a, k_stop, 30, 60, 1, "");
	put_switch(&ring_a, 31, UINT32_MAX, WT_COUNTS_OVER_LOSS);
	put_switch(&ring_a, 32, UINT32_MAX, WT_COUNTS_EXACT);
	round_all();
	assert_string_equal(named(31), "?");
	assert_string_equal(named(32), "?");
}

static void others_are_left_out(void **state)
{
	(void)state;
	begin((struct wt_recorder_config){.only_told = true});
	put_switch(&ring_a, 20, 50, WT_COUNTS_EXACT);
	put_switch(&ring_a, 21, 70, WT_COUNTS_EXACT);
	put_switch(&ring_a, 22, UINT32_MAX, WT_COUNTS_OVER_LOSS);
	put_switch(&ring_a, 23, 70, WT_COUNTS_EXACT);
	put_proc(&ring_a, k_stop, 30, 60, 1, "");
	put_switch(&ring_a, 31, UINT32_MAX, WT_COUNTS_EXACT);
	round_all();
	assert_string_equal(named(20), "sh");
	assert_string_equal(named(21), "left out");
	assert_string_equal(named(22), "?");
	assert_string_equal(named(23), "left out");
	assert_string_equal(named(31), "ls");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(who_ended_is_who_leaves, setup, teardown),
		cmocka_unit_test_setup_teardown(a_switch_in_between, setup, teardown),
		cmocka_unit_test_setup_teardown(over_a_loss_names_nobody, setup, teardown),
		cmocka_unit_test_setup_teardown(others_are_left_out, setup, teardown),
	};

	return cmocka_run_group_tests_name("recorder_switch", tests, NULL, NULL);
}
