// SPDX-License-Identifier: MIT
#include "tests/unit/tracecore/ring/ring_fixture.h"
#include "tracecore/base/clock.h"

enum { BLOCK = 8192 };

/* More providers than a census names, read from the beginning and again behind a gap: what there is of those
 * without a count of their own is told of them together, no more and no less. */
static void others_are_counted(bool trusted)
{
	enum { PROVIDERS = 150 };
	struct wt_allowance allowance;
	struct fixture f;
	struct wt_ring_record record;
	struct wt_ring_loss loss[WT_ABI_LOSSES];
	uint64_t produced = 0, seen = 0, gone = 0, others = 0;
	size_t n;

	fixture_begin(&f, BLOCK, 8, WT_ABI_RING_OVERWRITE);
	fixture_pin();
	wt_allowance_init(&allowance, WT_NSEC, WT_NSEC, UINT64_C(1) << 30, wt_clock_now());
	if (!trusted)
		wt_ring_directory_limit(f.directory, &allowance);
	for (unsigned round = 0; round < 40; round++) {
		for (uint64_t i = 0; i < (round % 5 ? 400 : 40); i++, produced++)
			assert_int_equal(fixture_write(f.w, (uint32_t)(i * 7 + round) % PROVIDERS, i, 40),
					 WT_RING_OK);
		fixture_refresh(&f);
		assert_int_equal(f.n, 1);
		for (unsigned k = 0; k < 16 && round % 3 == 0; k++) {
			wt_ring_reader_refresh(f.rings[0]);
			while (!wt_ring_reader_peek(f.rings[0], &record)) {
				seen++;
				wt_ring_reader_pop(f.rings[0]);
			}
			wt_ring_reader_release(f.rings[0], wt_clock_now());
		}
	}
	/* Other providers' are in the newest blocks: their census tells of all before. */
	while ((n = wt_ring_reader_losses(f.rings[0], loss, WT_ABI_LOSSES)))
		for (size_t i = 0; i < n; i++) {
			assert_int_equal(loss[i].result, WT_RING_OVERWRITTEN);
			gone += loss[i].count;
			others += loss[i].provider == WT_ABI_LOSS_OTHERS ? loss[i].count : 0;
		}
	assert_true(others > 0 && seen > 0);
	assert_int_equal(seen + gone, produced);
	fixture_end(&f);
}

static void others_of_the_trusted_are_counted(void **state)
{
	(void)state;
	others_are_counted(true);
}

static void others_of_a_user_are_counted(void **state)
{
	(void)state;
	others_are_counted(false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(others_of_the_trusted_are_counted),
		cmocka_unit_test(others_of_a_user_are_counted),
	};

	return cmocka_run_group_tests_name("ring/census", tests, NULL, NULL);
}
