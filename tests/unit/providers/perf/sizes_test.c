// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <unistd.h>

#include "providers/perf/internal.h"

static struct wt_perf perf;
static struct wt_perf_slot slots[3];

static int setup(void **state)
{
	(void)state;
	memset(&perf, 0, sizeof(perf));
	memset(slots, 0, sizeof(slots));
	perf.slots = slots;
	perf.caps.whole_system = true;
	return 0;
}

static void have_cpus(uint32_t n)
{
	for (uint32_t cpu = 0; cpu < n; cpu++)
		wt_cpuset_add(&perf.online, cpu);
}

static void have_profile(uint64_t hz, uint32_t stack_bytes)
{
	struct wt_perf_slot *slot = &slots[perf.n_slots++];

	slot->attr.freq = 1;
	slot->attr.sample_freq = hz;
	perf.stack_bytes = stack_bytes;
	if (stack_bytes) {
		slot->attr.sample_type |= PERF_SAMPLE_STACK_USER;
		slot->attr.sample_stack_user = stack_bytes;
	}
}

static uint64_t ring_bytes(void)
{
	wt_perf_choose_sizes(&perf);
	assert_int_equal(perf.sample_pages & (perf.sample_pages - 1), 0);
	return perf.sample_pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void without_copies(void **state)
{
	(void)state;
	have_cpus(2);
	have_profile(997, 0);
	assert_int_equal(ring_bytes(), 2 << 20);
}

/* Where there are no samples their room is the sideband's. */
static void sideband_alone(void **state)
{
	static const struct {
		uint32_t cpus;
		bool no_images, twice;
		uint64_t bytes;
	} cases[] = {{2, true, true, 2 << 20},     {2, false, true, 4 << 20}, {8, false, true, 4 << 20},
		     {16, false, true, 2 << 20},   {16, true, true, 2 << 20}, {64, false, true, 512 << 10},
		     {512, false, true, 512 << 10}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		setup(state);
		have_cpus(cases[i].cpus);
		perf.no_images = cases[i].no_images;
		perf.caps.build_id = cases[i].twice;
		ring_bytes();
		assert_int_equal(perf.sideband_pages * (uint64_t)sysconf(_SC_PAGESIZE), cases[i].bytes);
	}
}

/* Whatever all processes tell fills it; names have half as much to themselves. */
static void sideband_of_all(void **state)
{
	static const struct {
		uint32_t cpus;
		size_t pids;
		uint64_t bytes;
	} cases[] = {{1, 0, 4 << 20}, {2, 0, 4 << 20}, {2, 1, 1 << 20}, {8, 0, 2 << 20}, {64, 0, 128 << 10}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		setup(state);
		have_cpus(cases[i].cpus);
		have_profile(997, 0);
		perf.n_pids = cases[i].pids;
		perf.caps.build_id = true;
		ring_bytes();
		assert_int_equal(perf.sideband_pages * (uint64_t)sysconf(_SC_PAGESIZE), cases[i].bytes);
		assert_int_equal(perf.names_pages, perf.sideband_pages / 2);
	}
}

/* A quarter of a second of samples, whatever the rate and the copy. */
static void copies_fit(void **state)
{
	static const struct {
		uint64_t hz;
		uint32_t stack;
	} cases[] = {{997, 8192}, {997, 16384}, {997, 32768}, {997, WT_PERF_STACK_MOST}, {4999, 16384}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		setup(state);
		have_cpus(2);
		have_profile(cases[i].hz, cases[i].stack);
		assert_true(ring_bytes() >= cases[i].hz / 4 * cases[i].stack);
		assert_true(ring_bytes() <= 32 << 20);
		assert_int_equal(perf.stack_bytes, cases[i].stack);
	}
}

static void many_cpus_share(void **state)
{
	(void)state;
	have_cpus(128);
	have_profile(997, 16384);
	assert_true(ring_bytes() * 128 <= 128 << 20);
	assert_true(ring_bytes() >= 24 * 16384);
}

static void tracepoints_are_many(void **state)
{
	uint64_t one;

	(void)state;
	have_cpus(2);
	have_profile(997, 16384);
	one = ring_bytes();
	setup(state);
	have_cpus(2);
	have_profile(997, 16384);
	slots[1].program = &(const struct wt_tp_program){0};
	slots[1].attr.sample_type = PERF_SAMPLE_STACK_USER;
	perf.n_slots = 2;
	assert_true(ring_bytes() > one);
}

/* The more CPUs and events there are, the less of each stack is copied. */
static void as_much_as_is_fair(void **state)
{
	static const struct {
		uint32_t cpus;
		uint64_t hz;
		uint32_t bytes;
	} cases[] = {{1, 997, WT_PERF_STACK_MOST},
		     {4, 997, WT_PERF_STACK_MOST},
		     {8, 997, 32768},
		     {16, 997, 16384},
		     {128, 997, 16384},
		     {2, 1999, 32768},
		     {2, 20000, 16384}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		setup(state);
		have_cpus(cases[i].cpus);
		have_profile(cases[i].hz, WT_PERF_STACK_MOST);
		perf.stack_chosen = true;
		wt_perf_choose_sizes(&perf);
		assert_int_equal(perf.stack_bytes, cases[i].bytes);
		assert_int_equal(slots[0].attr.sample_stack_user, cases[i].bytes);
	}
}

/* What was asked for stays; else a ring of a few samples is no use. */
static void small_rings_get_small_copies(void **state)
{
	(void)state;
	have_cpus(2);
	have_profile(997, 16384);
	perf.stack_chosen = true;
	perf.sample_pages = (uint32_t)((256 << 10) / sysconf(_SC_PAGESIZE));
	wt_perf_choose_sizes(&perf);
	assert_int_equal(perf.stack_bytes, 8192);
	assert_int_equal(slots[0].attr.sample_stack_user, 8192);
	setup(state);
	have_cpus(2);
	have_profile(997, 16384);
	perf.sample_pages = 1;
	wt_perf_choose_sizes(&perf);
	assert_int_equal(perf.stack_bytes, 16384);
}

/* Each switch has a small copy, whatever samples have; what was asked for stays. */
static void switches_have_small_copies(void **state)
{
	static struct wt_scheduler_point points[] = {{.what = WT_SCHEDULER_SWITCH},
						     {.what = WT_SCHEDULER_READY}};

	for (int chosen = 0; chosen < 2; chosen++) {
		setup(state);
		have_cpus(2);
		have_profile(997, WT_PERF_STACK_MOST);
		assert_false(wt_perf_reads_waits(&perf));
		for (int i = 0; i < 2; i++) {
			struct wt_perf_slot *slot = &slots[perf.n_slots++];

			slot->scheduler = &points[i];
			slot->program = &points[i].program;
			slot->attr.sample_type = PERF_SAMPLE_STACK_USER;
			slot->attr.sample_stack_user = WT_PERF_STACK_MOST;
		}
		perf.stack_chosen = chosen;
		assert_true(ring_bytes() >= 16 << 20);
		assert_true(ring_bytes() <= 32 << 20);
		assert_int_equal(slots[0].attr.sample_stack_user, WT_PERF_STACK_MOST);
		assert_int_equal(slots[1].attr.sample_stack_user, chosen ? 2048 : WT_PERF_STACK_MOST);
		assert_int_equal(slots[2].attr.sample_stack_user, chosen ? 1024 : WT_PERF_STACK_MOST);
		assert_true(wt_perf_reads_waits(&perf));
	}
}

static void woken_in_time(void **state)
{
	struct wt_perf_ring ring = {.data_size = 4 << 20},
			    sideband = {.data_size = 4 << 20, .sideband = true};

	(void)state;
	have_cpus(2);
	have_profile(997, 0);
	assert_int_equal(wt_perf_watermark(&perf, &ring), 2 << 20);
	perf.n_slots = 0;
	have_profile(997, 16384);
	assert_true(wt_perf_watermark(&perf, &ring) < 1 << 20);
	assert_true(wt_perf_watermark(&perf, &ring) > 16384);
	assert_int_equal(wt_perf_watermark(&perf, &sideband), 2 << 20);
	ring.data_size = 64 << 10;
	assert_int_equal(wt_perf_watermark(&perf, &ring), 32 << 10);
}

#define SIZES_TEST(fn) cmocka_unit_test_setup(fn, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SIZES_TEST(without_copies),     SIZES_TEST(sideband_alone),
		SIZES_TEST(sideband_of_all),    SIZES_TEST(copies_fit),
		SIZES_TEST(many_cpus_share),    SIZES_TEST(tracepoints_are_many),
		SIZES_TEST(as_much_as_is_fair), SIZES_TEST(small_rings_get_small_copies),
		SIZES_TEST(woken_in_time),      SIZES_TEST(switches_have_small_copies),
	};

	return cmocka_run_group_tests_name("perf/sizes", tests, NULL, NULL);
}
