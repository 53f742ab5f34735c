// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/providers/perf/fake_ring.h"
#include "providers/perf/ring.h"

static struct fake_ring ring;
static struct wt_perf_reader reader;
static struct wt_buf buf;

static int setup(void **state)
{
	(void)state;
	memset(&ring, 0, sizeof(ring));
	return wt_perf_reader_init(&reader, fake_map(&ring), fake_map(&ring) + FAKE_CONTROL, FAKE_SIZE);
}

static int teardown(void **state)
{
	(void)state;
	wt_perf_reader_deinit(&reader);
	wt_buf_deinit(&buf);
	return 0;
}

static void write_lost(uint64_t count)
{
	fake_lost(&buf, count, 1, 2);
	fake_write_bytes(&ring, buf.data, buf.len);
}

static void empty_ring(void **state)
{
	uint64_t len;

	(void)state;
	wt_perf_reader_refresh(&reader);
	assert_int_equal(wt_perf_reader_next(&reader, &len), WT_PERF_END);
	assert_int_equal(reader.pos, 0);
}

/* Many rounds through a small ring: every record arrives whole, those that wrap too. */
static void wraps(void **state)
{
	uint64_t len, expect = 0;

	(void)state;
	for (uint64_t round = 0; round < 1000; round++) {
		for (uint64_t i = 0; i < 3; i++)
			write_lost(round * 3 + i);
		wt_perf_reader_refresh(&reader);
		while (wt_perf_reader_next(&reader, &len) == WT_PERF_RECORD) {
			assert_int_equal(len, buf.len);
			assert_int_equal(wt_load_u64(reader.record + 16), expect++);
		}
		wt_perf_reader_release(&reader, reader.pos);
		assert_int_equal(*fake_tail(&ring), *fake_head(&ring));
	}
	assert_int_equal(expect, 3000);
}

static void header_split_by_the_end(void **state)
{
	uint64_t len;

	(void)state;
	*fake_head(&ring) = *fake_tail(&ring) = FAKE_SIZE - 4;
	wt_perf_reader_seek(&reader, FAKE_SIZE - 4);
	write_lost(77);
	wt_perf_reader_refresh(&reader);
	assert_int_equal(wt_perf_reader_next(&reader, &len), WT_PERF_RECORD);
	assert_int_equal(wt_load_u64(reader.record + 16), 77);
}

static void sees_no_more_than_it_refreshed(void **state)
{
	uint64_t len;

	(void)state;
	write_lost(1);
	assert_int_equal(wt_perf_reader_next(&reader, &len), WT_PERF_END);
	wt_perf_reader_refresh(&reader);
	write_lost(2);
	assert_int_equal(wt_perf_reader_next(&reader, &len), WT_PERF_RECORD);
	assert_int_equal(wt_perf_reader_next(&reader, &len), WT_PERF_END);
}

static void check_damage(uint16_t size, uint64_t head)
{
	uint64_t len;

	fake_begin(&buf, PERF_RECORD_LOST, 0);
	wt_store_u16(buf.data + 6, size);
	*fake_head(&ring) = *fake_tail(&ring) = 0;
	wt_perf_reader_seek(&reader, 0);
	fake_write_bytes(&ring, buf.data, buf.len);
	*fake_head(&ring) = head;
	wt_perf_reader_refresh(&reader);
	assert_int_equal(wt_perf_reader_next(&reader, &len), WT_PERF_DAMAGED);
	assert_int_equal(len, head);
	assert_int_equal(reader.pos, head);
	assert_int_equal(wt_perf_reader_next(&reader, &len), WT_PERF_END);
	write_lost(5);
	wt_perf_reader_refresh(&reader);
	assert_int_equal(wt_perf_reader_next(&reader, &len), WT_PERF_RECORD);
}

static void damage_is_skipped(void **state)
{
	(void)state;
	check_damage(0, 64);                       /* no size */
	check_damage(7, 64);                       /* less than a header */
	check_damage(72, 64);                      /* beyond the head */
	check_damage(8, 4);                        /* half a header */
	check_damage(16, 3 * (uint64_t)FAKE_SIZE); /* a head no writer could have */
}

static void seeks_only_where_bytes_are(void **state)
{
	(void)state;
	*fake_tail(&ring) = 1000;
	*fake_head(&ring) = 3000;
	assert_int_equal(wt_perf_reader_seek(&reader, 999), -1);
	assert_int_equal(wt_perf_reader_seek(&reader, 3001), -1);
	assert_int_equal(wt_perf_reader_seek(&reader, 1000), 0);
	assert_int_equal(wt_perf_reader_seek(&reader, 3000), 0);
	assert_int_equal(reader.pos, 3000);
}

static void starts_at_the_tail(void **state)
{
	struct wt_perf_reader other;
	uint64_t len;

	(void)state;
	write_lost(1);
	write_lost(2);
	wt_perf_reader_refresh(&reader);
	assert_int_equal(wt_perf_reader_next(&reader, &len), WT_PERF_RECORD);
	wt_perf_reader_release(&reader, reader.pos);
	assert_int_equal(
		wt_perf_reader_init(&other, fake_map(&ring), fake_map(&ring) + FAKE_CONTROL, FAKE_SIZE), 0);
	wt_perf_reader_refresh(&other);
	assert_int_equal(wt_perf_reader_next(&other, &len), WT_PERF_RECORD);
	assert_int_equal(wt_load_u64(other.record + 16), 2);
	wt_perf_reader_deinit(&other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(empty_ring, setup, teardown),
		cmocka_unit_test_setup_teardown(wraps, setup, teardown),
		cmocka_unit_test_setup_teardown(header_split_by_the_end, setup, teardown),
		cmocka_unit_test_setup_teardown(sees_no_more_than_it_refreshed, setup, teardown),
		cmocka_unit_test_setup_teardown(damage_is_skipped, setup, teardown),
		cmocka_unit_test_setup_teardown(seeks_only_where_bytes_are, setup, teardown),
		cmocka_unit_test_setup_teardown(starts_at_the_tail, setup, teardown),
	};

	return cmocka_run_group_tests_name("perf/ring", tests, NULL, NULL);
}
