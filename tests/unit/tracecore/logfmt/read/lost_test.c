// SPDX-License-Identifier: MIT
#include "tests/unit/tracecore/logfmt/fixture.h"

#include "tracecore/logfmt/read/lost.h"

static void add(struct wt_log_lost *lost, const char *provider, uint32_t ring, uint64_t count, uint64_t from)
{
	struct wt_lost_payload loss = {.provider = wt_str(provider),
				       .on_cpu = 1,
				       .cause = WT_LOSS_RING_FULL,
				       .exact = 1,
				       .count = count,
				       .from = from,
				       .to = from + 5,
				       .ring = ring};
	struct wt_err err = WT_ERR_INIT;

	assert_ok(wt_log_lost_add(lost, &loss, &err), err);
}

static void losses_of_a_ring_are_one(void **state)
{
	struct wt_log_lost lost = {0};

	(void)state;
	add(&lost, "one", 7, 10, 100);
	add(&lost, "one", 7, 20, 50);
	add(&lost, "one", 8, 1, 60);
	add(&lost, "two", 7, 2, 60);
	assert_int_equal(lost.n, 3);
	assert_int_equal(lost.rows[0].count, 30);
	assert_int_equal(lost.rows[0].from, 50);
	assert_int_equal(lost.rows[0].to, 105);
	wt_log_lost_deinit(&lost);
}

/* Any number of rings: no loss goes, and the list stays short. */
static void the_oldest_rings_are_forgotten(void **state)
{
	struct wt_log_lost lost = {0};
	uint64_t sum = 0;

	(void)state;
	for (uint32_t ring = 1; ring <= WT_LOG_LOST_RINGS + 100; ring++)
		add(&lost, ring % 2 ? "odd" : "even", ring, ring, ring);
	assert_true(lost.n <= WT_LOG_LOST_RINGS + 2);
	for (uint32_t i = 0; i < lost.n; i++)
		sum += lost.rows[i].count;
	assert_int_equal(sum, (uint64_t)(WT_LOG_LOST_RINGS + 100) * (WT_LOG_LOST_RINGS + 101) / 2);
	assert_int_equal(lost.rows[lost.n - 1].ring, WT_LOG_LOST_RINGS + 100);
	wt_log_lost_deinit(&lost);
}

/* Cut anywhere but in front of it, it is refused. */
static void what_is_put_comes_back(void **state)
{
	struct wt_log_lost lost = {0}, again = {0};
	struct wt_err err = WT_ERR_INIT;
	struct wt_buf bytes = {0};

	(void)state;
	wt_log_lost_put(&lost, &bytes);
	assert_int_equal(bytes.len, 0);
	add(&lost, "one", 7, 10, 100);
	add(&lost, "two", 0, 20, 200);
	wt_log_lost_put(&lost, &bytes);
	for (size_t n = 0; n <= bytes.len; n++) {
		uint8_t *copy = malloc(n + 1);
		struct wt_cursor cur = wt_cursor(copy, n);

		memcpy(copy, bytes.data, n);
		assert_int_equal(wt_log_lost_get(&cur, &again, &err), n && n < bytes.len);
		assert_int_equal(again.n, n == bytes.len ? 2 : 0);
		if (again.n) {
			assert_memory_equal(again.rows[1].provider.p, "two", 3);
			assert_int_equal(again.rows[0].ring, 7);
			assert_int_equal(again.rows[1].count, 20);
			assert_int_equal(again.rows[1].to, 205);
		}
		wt_log_lost_deinit(&again);
		free(copy);
	}
	wt_buf_deinit(&bytes);
	wt_log_lost_deinit(&lost);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(losses_of_a_ring_are_one),
		cmocka_unit_test(the_oldest_rings_are_forgotten),
		cmocka_unit_test(what_is_put_comes_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
