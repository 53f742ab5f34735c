// SPDX-License-Identifier: MIT
#include "tracecore/base/buf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tracecore/base/cursor.h"

static void what_is_put_can_be_read(void **state)
{
	struct wt_buf buf = {0};
	struct wt_cursor cur;

	(void)state;
	wt_buf_put_u8(&buf, 0x11);
	wt_buf_put_u16(&buf, 0x2222);
	wt_buf_put_u32(&buf, 0x33333333);
	wt_buf_put_u64(&buf, UINT64_C(0x4444444444444444));
	wt_buf_put_counted(&buf, "abc", 3);
	wt_buf_put(&buf, "xy", 2);
	assert_false(buf.failed);
	cur = wt_cursor(buf.data, buf.len);
	assert_int_equal(wt_cur_u8(&cur), 0x11);
	assert_int_equal(wt_cur_u16(&cur), 0x2222);
	assert_int_equal(wt_cur_u32(&cur), 0x33333333);
	assert_int_equal(wt_cur_u64(&cur), UINT64_C(0x4444444444444444));
	assert_int_equal(wt_cur_u16(&cur), 3);
	assert_memory_equal(wt_cur_bytes(&cur, 3), "abc", 3);
	assert_memory_equal(wt_cur_bytes(&cur, 2), "xy", 2);
	assert_int_equal(wt_cur_left(&cur), 0);
	wt_buf_deinit(&buf);
	assert_null(buf.data);
}

static void it_grows_and_keeps_its_content(void **state)
{
	struct wt_buf buf = {0};

	(void)state;
	for (uint32_t i = 0; i < 100000; i++)
		wt_buf_put_u32(&buf, i);
	assert_int_equal(buf.len, 400000);
	assert_true(buf.cap >= buf.len);
	for (uint32_t i = 0; i < 100000; i++)
		assert_int_equal(wt_load_u32(buf.data + 4 * i), i);
	wt_buf_clear(&buf);
	assert_int_equal(buf.len, 0);
	assert_true(buf.cap >= 400000);
	wt_buf_deinit(&buf);
}

static void texts_append_without_their_zero(void **state)
{
	struct wt_buf buf = {0};

	(void)state;
	assert_string_equal(wt_buf_cstr(&buf), "");
	wt_buf_puts(&buf, "a");
	wt_buf_printf(&buf, "%d-%s", 7, "b");
	wt_buf_printf(&buf, "%s", "");
	assert_int_equal(buf.len, 4);
	assert_string_equal(wt_buf_cstr(&buf), "a7-b");
	wt_buf_printf(&buf, "%0500d", 1);
	assert_int_equal(buf.len, 504);
	assert_int_equal(strlen(wt_buf_cstr(&buf)), 504);
	wt_buf_deinit(&buf);
}

static void numbers_are_put_as_printf_would(void **state)
{
	static const uint64_t numbers[] = {0, 9, 10, 255, 65536, UINT64_C(12345678901234567890), UINT64_MAX};
	struct wt_buf buf = {0};
	char wanted[64];

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		unsigned long long v = numbers[i];

		wt_buf_clear(&buf);
		wt_buf_put_dec(&buf, v);
		wt_buf_puts(&buf, " ");
		wt_buf_put_hex(&buf, v, 1);
		wt_buf_puts(&buf, " ");
		wt_buf_put_hex(&buf, v, 20);
		snprintf(wanted, sizeof(wanted), "%llu %llx %020llx", v, v, v);
		assert_string_equal(wt_buf_cstr(&buf), wanted);
	}
	wt_buf_deinit(&buf);
}

static void nothing_is_put_as_nothing(void **state)
{
	struct wt_buf buf = {0};

	(void)state;
	wt_buf_put(&buf, NULL, 0);
	wt_buf_puts(&buf, "");
	assert_int_equal(buf.len, 0);
	assert_false(buf.failed);
	wt_buf_put_counted(&buf, NULL, 0);
	assert_int_equal(buf.len, 2);
	wt_buf_deinit(&buf);
}

static void counted_bytes_are_cut_at_their_bound(void **state)
{
	static char big[70000];
	struct wt_buf buf = {0};

	(void)state;
	wt_buf_put_counted(&buf, big, sizeof(big));
	assert_int_equal(buf.len, 2 + 65535);
	assert_int_equal(wt_load_u16(buf.data), 65535);
	wt_buf_deinit(&buf);
}

/* More than there can be: the flag is set, the content stays, and clear makes the buffer good again. */
static void impossible_sizes_fail_and_leave_the_content(void **state)
{
	static const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX - 2, SIZE_MAX - 64, SIZE_MAX / 2 + 1};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct wt_buf buf = {0};

		wt_buf_puts(&buf, "abc");
		assert_null(wt_buf_reserve(&buf, sizes[i]));
		assert_true(buf.failed);
		assert_int_equal(buf.len, 3);
		assert_string_equal(wt_buf_cstr(&buf), "abc");
		wt_buf_clear(&buf);
		assert_false(buf.failed);
		wt_buf_deinit(&buf);
	}
}

static void reserved_room_is_not_counted(void **state)
{
	struct wt_buf buf = {0};
	uint8_t *p = wt_buf_reserve(&buf, 1000);

	(void)state;
	assert_non_null(p);
	memset(p, 1, 1000);
	assert_int_equal(buf.len, 0);
	assert_ptr_equal(wt_buf_reserve(&buf, 1000), p);
	wt_buf_deinit(&buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_put_can_be_read),
		cmocka_unit_test(it_grows_and_keeps_its_content),
		cmocka_unit_test(texts_append_without_their_zero),
		cmocka_unit_test(numbers_are_put_as_printf_would),
		cmocka_unit_test(nothing_is_put_as_nothing),
		cmocka_unit_test(counted_bytes_are_cut_at_their_bound),
		cmocka_unit_test(impossible_sizes_fail_and_leave_the_content),
		cmocka_unit_test(reserved_room_is_not_counted),
	};

	return cmocka_run_group_tests_name("buf", tests, NULL, NULL);
}
