// SPDX-License-Identifier: MIT
#include "tracecore/base/cursor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void integers_are_little_endian_at_any_alignment(void **state)
{
	static const uint8_t bytes[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
	struct wt_cursor cur = wt_cursor(bytes, sizeof(bytes));

	(void)state;
	assert_int_equal(wt_cur_u8(&cur), 0);
	assert_int_equal(wt_cur_u16(&cur), 0x0201);
	assert_int_equal(wt_cur_u32(&cur), 0x06050403);
	assert_int_equal(wt_cur_u64(&cur), UINT64_C(0x0e0d0c0b0a090807));
	assert_int_equal(wt_cur_left(&cur), 0);
	assert_false(cur.bad);
}

static void stores_are_the_loads_backwards(void **state)
{
	uint8_t bytes[9] = {0};

	(void)state;
	wt_store_u64(bytes + 1, UINT64_C(0x1122334455667788));
	assert_int_equal(wt_load_u64(bytes + 1), UINT64_C(0x1122334455667788));
	assert_int_equal(bytes[1], 0x88);
	wt_store_u32(bytes + 3, 0xa1b2c3d4);
	assert_int_equal(wt_load_u32(bytes + 3), 0xa1b2c3d4);
	wt_store_u16(bytes + 5, 0xbeef);
	assert_int_equal(wt_load_u16(bytes + 5), 0xbeef);
}

/* The first read that does not fit turns the cursor bad and stays where it was; all later ones give nothing.
 */
static void reads_behind_the_end_are_bad_and_stay(void **state)
{
	uint8_t *bytes = malloc(7);
	struct wt_cursor cur = wt_cursor(bytes, 7);

	(void)state;
	memset(bytes, 0xff, 7);
	assert_int_equal(wt_cur_u32(&cur), UINT32_MAX);
	assert_int_equal(wt_cur_u32(&cur), 0);
	assert_true(cur.bad);
	assert_int_equal(wt_cur_offset(&cur), 4);
	assert_int_equal(wt_cur_left(&cur), 0);
	assert_int_equal(wt_cur_u8(&cur), 0);
	assert_int_equal(wt_cur_u16(&cur), 0);
	assert_int_equal(wt_cur_u64(&cur), 0);
	assert_int_equal(wt_cur_varint(&cur), 0);
	assert_null(wt_cur_bytes(&cur, 0));
	assert_int_equal(wt_cur_offset(&cur), 4);
	free(bytes);
}

static void huge_lengths_do_not_wrap(void **state)
{
	static const uint8_t bytes[4];
	struct wt_cursor cur = wt_cursor(bytes, sizeof(bytes));

	(void)state;
	assert_null(wt_cur_bytes(&cur, SIZE_MAX));
	assert_true(cur.bad);
	cur = wt_cursor(bytes, sizeof(bytes));
	wt_cur_u8(&cur);
	assert_null(wt_cur_bytes(&cur, SIZE_MAX - 1));
	assert_int_equal(wt_cur_offset(&cur), 1);
}

static void no_bytes_are_a_place_too(void **state)
{
	static const uint8_t bytes[1];
	struct wt_cursor cur = wt_cursor(bytes, 1);

	(void)state;
	assert_ptr_equal(wt_cur_bytes(&cur, 0), bytes);
	wt_cur_u8(&cur);
	assert_non_null(wt_cur_bytes(&cur, 0));
	assert_false(cur.bad);
}

static void sub_cursors_take_their_bytes(void **state)
{
	static const uint8_t bytes[] = {1, 2, 3, 4};
	struct wt_cursor cur = wt_cursor(bytes, sizeof(bytes)), sub = wt_cur_sub(&cur, 3);

	(void)state;
	assert_int_equal(wt_cur_left(&sub), 3);
	assert_int_equal(wt_cur_u16(&sub), 0x0201);
	assert_int_equal(wt_cur_u16(&sub), 0);
	assert_true(sub.bad);
	assert_false(cur.bad);
	assert_int_equal(wt_cur_u8(&cur), 4);
	sub = wt_cur_sub(&cur, 1);
	assert_true(sub.bad);
	assert_true(cur.bad);
	assert_int_equal(wt_cur_left(&sub), 0);
}

/* Writes v as LEB128; returns the bytes written. */
static unsigned put_varint(uint8_t *p, uint64_t v)
{
	unsigned n = 0;

	while (v >= 0x80) {
		p[n++] = (uint8_t)v | 0x80;
		v >>= 7;
	}
	p[n++] = (uint8_t)v;
	return n;
}

static void varints_round_trip(void **state)
{
	(void)state;
	for (unsigned bit = 0; bit < 64; bit++) {
		for (int delta = -1; delta <= 1; delta++) {
			uint64_t v = (UINT64_C(1) << bit) + (uint64_t)(int64_t)delta;
			uint8_t bytes[WT_VARINT_MAX];
			unsigned n = put_varint(bytes, v);
			struct wt_cursor cur = wt_cursor(bytes, n);

			assert_true(n <= WT_VARINT_MAX);
			assert_int_equal(wt_cur_varint(&cur), v);
			assert_int_equal(wt_cur_left(&cur), 0);
			assert_false(cur.bad);
			cur = wt_cursor(bytes, n - 1);
			assert_int_equal(wt_cur_varint(&cur), 0);
			assert_true(cur.bad);
			assert_int_equal(wt_cur_offset(&cur), 0);
		}
	}
}

static void varints_beyond_64_bits_are_bad(void **state)
{
	static const uint8_t most[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01};
	static const uint8_t over[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02};
	static const uint8_t longer[] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x81, 0x00};
	struct wt_cursor cur = wt_cursor(most, sizeof(most));

	(void)state;
	assert_int_equal(wt_cur_varint(&cur), UINT64_MAX);
	cur = wt_cursor(over, sizeof(over));
	assert_int_equal(wt_cur_varint(&cur), 0);
	assert_true(cur.bad);
	cur = wt_cursor(longer, sizeof(longer));
	assert_int_equal(wt_cur_varint(&cur), 0);
	assert_true(cur.bad);
	assert_int_equal(wt_cur_offset(&cur), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers_are_little_endian_at_any_alignment),
		cmocka_unit_test(stores_are_the_loads_backwards),
		cmocka_unit_test(reads_behind_the_end_are_bad_and_stay),
		cmocka_unit_test(huge_lengths_do_not_wrap),
		cmocka_unit_test(no_bytes_are_a_place_too),
		cmocka_unit_test(sub_cursors_take_their_bytes),
		cmocka_unit_test(varints_round_trip),
		cmocka_unit_test(varints_beyond_64_bits_are_bad),
	};

	return cmocka_run_group_tests_name("cursor", tests, NULL, NULL);
}
