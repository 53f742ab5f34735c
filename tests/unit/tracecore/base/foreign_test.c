// SPDX-License-Identifier: MIT
#include "tracecore/base/foreign.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/utf8.h"

/* Bytes, their length as UTF-8 sequence or valid prefix, and whether they are valid. */
static const struct {
	const char *bytes;
	size_t len;
	unsigned step;
	bool valid;
} sequences[] = {
	{"\x00", 1, 1, true},
	{"\x7f", 1, 1, true},
	{"\x80", 1, 1, false},
	{"\xbf", 1, 1, false},
	{"\xc0\x80", 2, 1, false}, /* overlong zero */
	{"\xc1\xbf", 2, 1, false}, /* overlong DEL */
	{"\xc2\x80", 2, 2, true},
	{"\xdf\xbf", 2, 2, true},
	{"\xc2", 1, 1, false},
	{"\xc2\xc2", 2, 1, false},
	{"\xe0\x9f\xbf", 3, 1, false}, /* overlong U+07FF */
	{"\xe0\xa0\x80", 3, 3, true},
	{"\xe0\xa0", 2, 2, false},
	{"\xe0\xa0\xff", 3, 2, false},
	{"\xed\x9f\xbf", 3, 3, true},
	{"\xed\xa0\x80", 3, 1, false}, /* first surrogate */
	{"\xed\xbf\xbf", 3, 1, false}, /* last surrogate */
	{"\xee\x80\x80", 3, 3, true},
	{"\xef\xbf\xbf", 3, 3, true},
	{"\xf0\x8f\xbf\xbf", 4, 1, false}, /* overlong U+FFFF */
	{"\xf0\x90\x80\x80", 4, 4, true},
	{"\xf0\x90\x80", 3, 3, false},
	{"\xf0\x90", 2, 2, false},
	{"\xf4\x8f\xbf\xbf", 4, 4, true},
	{"\xf4\x90\x80\x80", 4, 1, false}, /* U+110000 */
	{"\xf5\x80\x80\x80", 4, 1, false},
	{"\xff", 1, 1, false},
};

static void sequences_are_judged_as_unicode_says(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(sequences) / sizeof(sequences[0]); i++) {
		uint8_t *copy = malloc(sequences[i].len);
		bool valid;

		memcpy(copy, sequences[i].bytes, sequences[i].len);
		assert_int_equal(wt_utf8_step(copy, sequences[i].len, &valid), sequences[i].step);
		assert_int_equal(valid, sequences[i].valid);
		free(copy);
	}
}

static void encode(uint32_t c, uint8_t to[4], size_t *len)
{
	*len = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	for (size_t i = *len; i-- > 1; c >>= 6)
		to[i] = 0x80 | (c & 0x3f);
	to[0] = (uint8_t)(c | (*len == 1 ? 0 : 0xf00 >> *len));
}

/* Every code point but the surrogates is valid, the surrogates and what lies above are not. */
static void all_code_points(void **state)
{
	(void)state;
	for (uint32_t c = 0; c < 0x200000; c++) {
		bool expected = c < 0xd800 || (c > 0xdfff && c < 0x110000);
		uint8_t bytes[4];
		size_t len;

		encode(c, bytes, &len);
		if ((utf8_valid_len(bytes, len) == len) != expected)
			fail_msg("U+%X", c);
	}
}

static void valid_length_ends_at_the_first_fault(void **state)
{
	(void)state;
	assert_int_equal(utf8_valid_len((const uint8_t *)"", 0), 0);
	assert_int_equal(utf8_valid_len((const uint8_t *)"ab\xc3\xa4", 4), 4);
	assert_int_equal(utf8_valid_len((const uint8_t *)"ab\xc3", 3), 2);
	assert_int_equal(utf8_valid_len((const uint8_t *)"a\xff"
							 "b",
					3),
			 1);
}

static void check_json(const char *bytes, size_t len, const char *expected)
{
	struct wt_buf out = {0};

	wt_json_string(&out, bytes, len);
	assert_string_equal(wt_buf_cstr(&out), expected);
	wt_buf_deinit(&out);
}

static void json_strings_are_escaped(void **state)
{
	(void)state;
	check_json(NULL, 0, "\"\"");
	check_json("plain", 5, "\"plain\"");
	check_json("\"\\/", 3, "\"\\\"\\\\/\"");
	check_json("\b\f\n\r\t\x01\x1f\0\x7f", 9, "\"\\b\\f\\n\\r\\t\\u0001\\u001f\\u0000\\u007f\"");
	check_json("\xc2\x80\xc2\x9f\xc2\xa0", 6, "\"\\u0080\\u009f\xc2\xa0\"");
	check_json("\xe2\x80\xa8\xe2\x80\xae\xef\xbb\xbf", 9, "\"\\u2028\\u202e\\ufeff\"");
	check_json("\xf3\xa0\x81\x81", 4, "\"\\udb40\\udc41\"");
	check_json("\xf0\x9f\x98\x80", 4, "\"\xf0\x9f\x98\x80\"");
	check_json("a\xff\xc3z", 4, "\"a\xef\xbf\xbd\xef\xbf\xbdz\"");
	check_json("\xf0\x90\x80"
		   "a",
		   4,
		   "\"\xef\xbf\xbd"
		   "a\"");
	check_json("\xed\xa0\x80", 3, "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
}

static void check_text(const char *bytes, size_t len, const char *expected)
{
	struct wt_buf out = {0};

	wt_text_escape(&out, bytes, len);
	assert_string_equal(wt_buf_cstr(&out), expected);
	wt_buf_deinit(&out);
}

static void terminal_text_is_escaped(void **state)
{
	(void)state;
	check_text(NULL, 0, "");
	check_text("a b,c", 5, "a b,c");
	check_text("a\nb\tc\rd", 7, "a\\nb\\tc\\rd");
	check_text("\x1b[31m\x7f\0", 7, "\\x1b[31m\\x7f\\x00");
	check_text("\xc2\x9b"
		   "31m",
		   5, "\\xc2\\x9b31m");
	check_text("\xc2\xa0\xc3\xa4", 4, "\xc2\xa0\xc3\xa4");
	check_text("\xe4\xff", 2, "\\xe4\\xff");
	check_text("\xe2\x80\xae"
		   "a\xe2\x80\x8f\xd8\x9c\xef\xbb\xbf\xf3\xa0\x81\x81",
		   16, "\\u{202e}a\\u{200f}\\u{61c}\\u{feff}\\u{e0041}");
}

typedef void put_fn(struct wt_buf *out, const void *bytes, size_t len);

static void check_put(put_fn *put, const char *text, const char *expected)
{
	struct wt_buf out = {0};

	put(&out, text, strlen(text));
	assert_string_equal(wt_buf_cstr(&out), expected);
	wt_buf_deinit(&out);
}

static void values_are_quoted_where_they_look_like_fields(void **state)
{
	(void)state;
	check_put(wt_text_value, "", "");
	check_put(wt_text_value, "a=b", "a=b");
	check_put(wt_text_value, "a b (c)", "a b (c)");
	check_put(wt_text_value, "a b=1", "\"a b=1\"");
	check_put(wt_text_value, "a  f+0x1:m", "\"a  f+0x1:m\"");
	check_put(wt_text_value, "a [recorder]", "\"a [recorder]\"");
	check_put(wt_text_value, "\"a", "\"\\\"a\"");
	check_put(wt_text_value, "\" b\\=\033", "\"\\\" b\\\\=\\x1b\"");
}

static void csv_fields_are_one_cell_of_one_line(void **state)
{
	(void)state;
	check_put(wt_csv_field, "", "");
	check_put(wt_csv_field, "a b", "a b");
	check_put(wt_csv_field, "a,\"b\"", "\"a,\"\"b\"\"\"");
	check_put(wt_csv_field, "a\r\nb", "\"a\\r\\nb\"");
	check_put(wt_csv_field, "c:\\n \033[1m\xff\xe2\x80\xae", "c:\\\\n \\x1b[1m\\xff\\u{202e}");
}

static void check_no_numbers(const char *text, const char *expected)
{
	struct wt_buf out = {0};

	wt_buf_puts(&out, "x 1 ");
	wt_buf_puts(&out, text);
	wt_foreign_no_numbers(&out, 4);
	assert_string_equal(wt_buf_cstr(&out) + 4, expected);
	wt_buf_deinit(&out);
}

static void names_hold_no_numbers(void **state)
{
	(void)state;
	check_no_numbers("", "");
	check_no_numbers("Web Content", "Web Content");
	check_no_numbers("array<int, 5>", "array<int, 5>");
	check_no_numbers("  a 5", "__a_5");
	check_no_numbers("a 5 1/1 1.0: b", "a_5_1/1 1.0: b");
	check_no_numbers("#a", "_a");
}

/* Random bytes, in every form: nothing raw, and what is a character in one is one in all. */
static void nothing_raw_comes_out(void **state)
{
	put_fn *const puts[] = {wt_text_escape, wt_text_value, wt_csv_field, wt_json_string};
	struct wt_buf out = {0};
	uint8_t bytes[24];
	uint32_t seed = 1, code;
	enum wt_foreign what;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		for (size_t i = 0; i < sizeof(bytes); i++) {
			seed = seed * 1664525 + 1013904223;
			bytes[i] = (uint8_t)(seed >> (seed >> 29 & 1 ? 24 : 16));
		}
		wt_buf_clear(&out);
		puts[round % 4](&out, bytes, sizeof(bytes));
		for (size_t i = 0; i < out.len;) {
			i += wt_foreign_step(out.data + i, out.len - i, &what, &code);
			assert_int_equal(what, WT_FOREIGN_SHOWN);
		}
	}
	wt_buf_deinit(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sequences_are_judged_as_unicode_says),
		cmocka_unit_test(all_code_points),
		cmocka_unit_test(valid_length_ends_at_the_first_fault),
		cmocka_unit_test(json_strings_are_escaped),
		cmocka_unit_test(terminal_text_is_escaped),
		cmocka_unit_test(values_are_quoted_where_they_look_like_fields),
		cmocka_unit_test(csv_fields_are_one_cell_of_one_line),
		cmocka_unit_test(names_hold_no_numbers),
		cmocka_unit_test(nothing_raw_comes_out),
	};

	return cmocka_run_group_tests_name("foreign", tests, NULL, NULL);
}
