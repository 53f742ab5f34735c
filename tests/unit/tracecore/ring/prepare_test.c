// SPDX-License-Identifier: MIT
#include "tests/unit/tracecore/ring/ring_fixture.h"

#include "tracecore/ring/cpus.h"
#include "tracecore/ring/ring_fast.h"

/* 16 CPUs' rings at most; blocks so large that eight of each are 8 MiB, however many CPUs there are. */
static void a_told_process_finds_eight_blocks(void **state)
{
	uint32_t n = wt_ring_cpus() < 16 ? wt_ring_cpus() : 16, block = 65536;
	struct fixture f;
	char name[32];
	struct stat st;

	(void)state;
	while (block * 2 * 8 * n <= 8u << 20)
		block *= 2;
	fixture_begin(&f, block, 16);
	wt_ring_writer_prepare(f.w, 8, true);
	/* Without rseq there are lanes alone. */
	for (uint32_t i = 0; i < n && f.w->n_cpus; i++) {
		assert_int_equal(wt_ring_prepared(f.w)[i], 8);
		snprintf(name, sizeof(name), "cpu-%u", i);
		assert_int_equal(fstatat(f.dir_fd, name, &st, 0), 0);
		assert_true((uint64_t)st.st_blocks * 512 >= 8 * (uint64_t)block);
	}
	fixture_end(&f);
}

/* Others get no more than 1 MiB beyond the first block of each. */
static void others_take_little(void **state)
{
	struct fixture f;

	(void)state;
	fixture_begin(&f, 1 << 20, 16);
	wt_ring_writer_prepare(f.w, 8, false);
	for (uint32_t i = 0; i < f.w->n_cpus; i++)
		assert_int_equal(wt_ring_prepared(f.w)[i], 0);
	fixture_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_told_process_finds_eight_blocks),
		cmocka_unit_test(others_take_little),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
