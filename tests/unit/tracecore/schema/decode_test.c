// SPDX-License-Identifier: MIT
#include "tests/unit/tracecore/schema/payload.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* One scalar of each type: its bytes, and its text and JSON. */
static const struct {
	enum wt_type type;
	enum wt_radix radix;
	const char *bytes;
	size_t len;
	const char *text, *json;
} scalars[] = {
	{WT_TYPE_U8, WT_RADIX_DEC, "\xff", 1, "255", "255"},
	{WT_TYPE_U8, WT_RADIX_HEX, "\xff", 1, "0xff", "255"},
	{WT_TYPE_U16, WT_RADIX_OCT, "\xed\x01", 2, "0755", "493"},
	{WT_TYPE_U16, WT_RADIX_OCT, "\0\0", 2, "00", "0"},
	{WT_TYPE_U16, WT_RADIX_DEC, "\x34\x12", 2, "4660", "4660"},
	{WT_TYPE_U32, WT_RADIX_DEC, "\x78\x56\x34\x12", 4, "305419896", "305419896"},
	{WT_TYPE_U64, WT_RADIX_DEC, "\xff\xff\xff\xff\xff\xff\xff\xff", 8, "18446744073709551615",
	 "18446744073709551615"},
	{WT_TYPE_U64, WT_RADIX_DEC, "\0\0\0\0\0\0\0\0", 8, "0", "0"},
	{WT_TYPE_I8, WT_RADIX_DEC, "\x80", 1, "-128", "-128"},
	{WT_TYPE_I8, WT_RADIX_HEX, "\x80", 1, "0x80", "-128"},
	{WT_TYPE_I16, WT_RADIX_DEC, "\xfe\xff", 2, "-2", "-2"},
	{WT_TYPE_I32, WT_RADIX_HEX, "\xff\xff\xff\xff", 4, "0xffffffff", "-1"},
	{WT_TYPE_I32, WT_RADIX_DEC, "\xff\xff\xff\x7f", 4, "2147483647", "2147483647"},
	{WT_TYPE_I64, WT_RADIX_DEC, "\0\0\0\0\0\0\0\x80", 8, "-9223372036854775808", "-9223372036854775808"},
	{WT_TYPE_F32, WT_RADIX_DEC, "\xcd\xcc\xcc\x3d", 4, "0.1", "0.1"},
	{WT_TYPE_F32, WT_RADIX_DEC, "\0\0\x80\x7f", 4, "inf", "null"},
	{WT_TYPE_F32, WT_RADIX_DEC, "\0\0\xc0\x7f", 4, "nan", "null"},
	{WT_TYPE_F64, WT_RADIX_DEC, "\x9a\x99\x99\x99\x99\x99\xb9\x3f", 8, "0.1", "0.1"},
	{WT_TYPE_F64, WT_RADIX_DEC, "\x18\x2d\x44\x54\xfb\x21\x09\xc0", 8, "-3.141592653589793",
	 "-3.141592653589793"},
	{WT_TYPE_F64, WT_RADIX_DEC, "\0\0\0\0\0\0\xf0\xff", 8, "-inf", "null"},
	{WT_TYPE_F64, WT_RADIX_DEC, "\x9c\x75\x00\x88\x3c\xe4\x37\x7e", 8, "1e+300", "1e+300"},
	{WT_TYPE_BOOL, WT_RADIX_DEC, "\0", 1, "false", "false"},
	{WT_TYPE_BOOL, WT_RADIX_DEC, "\x01", 1, "true", "true"},
	{WT_TYPE_BOOL, WT_RADIX_DEC, "\xff", 1, "true", "true"},
	{WT_TYPE_POINTER, WT_RADIX_DEC, "\0\0\0\x81\xff\xff\xff\xff", 8, "0xffffffff81000000",
	 "18446744071578845184"},
	{WT_TYPE_TIME, WT_RADIX_DEC, "\x01\xca\x9a\x3b\0\0\0\0", 8, "1.000000001", "1000000001"},
	{WT_TYPE_STRING, WT_RADIX_DEC, "\x05\0a\"\\\xc3\xa4", 7, "a\"\\\xc3\xa4", "\"a\\\"\\\\\xc3\xa4\""},
	{WT_TYPE_STRING, WT_RADIX_DEC, "\0\0", 2, "", "\"\""},
	{WT_TYPE_STRING, WT_RADIX_DEC, "\x03\0a\0b", 5, "a\\x00b", "\"a\\u0000b\""},
	{WT_TYPE_BINARY, WT_RADIX_DEC, "\x03\0\x00\x7f\xff", 5, "007fff", "\"007fff\""},
	{WT_TYPE_BINARY, WT_RADIX_DEC, "\0\0", 2, "", "\"\""},
	{WT_TYPE_UUID, WT_RADIX_DEC, "\x01\x23\x45\x67\x89\xab\xcd\xef\x01\x23\x45\x67\x89\xab\xcd\xef", 16,
	 "01234567-89ab-cdef-0123-456789abcdef", "\"01234567-89ab-cdef-0123-456789abcdef\""},
	{WT_TYPE_IPV4, WT_RADIX_DEC, "\x7f\0\0\x01", 4, "127.0.0.1", "\"127.0.0.1\""},
	{WT_TYPE_IPV6, WT_RADIX_DEC, "\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x01", 16, "2001:db8::1",
	 "\"2001:db8::1\""},
	{WT_TYPE_SOCKADDR, WT_RADIX_DEC, "\x10\0\x02\0\x1f\x90\x7f\0\0\x01\0\0\0\0\0\0\0\0", 18,
	 "127.0.0.1:8080", "\"127.0.0.1:8080\""},
	{WT_TYPE_SOCKADDR, WT_RADIX_DEC, "\x03\0\x02\0\x1f", 5, "02001f", "\"02001f\""},
	{WT_TYPE_SOCKADDR, WT_RADIX_DEC,
	 "\x1c\0\x0a\0\0\x50\0\0\0\0\xfe\x80\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\x02\0\0\0", 30, "[fe80::1%2]:80",
	 "\"[fe80::1%2]:80\""},
	{WT_TYPE_SOCKADDR, WT_RADIX_DEC, "\x08\0\x01\0/a\nb\0x", 10, "unix:/a\\nb", "\"unix:/a\\nb\""},
	{WT_TYPE_SOCKADDR, WT_RADIX_DEC, "\x05\0\x01\0\0ab", 7, "unix:@ab", "\"unix:@ab\""},
	{WT_TYPE_SOCKADDR, WT_RADIX_DEC, "\x02\0\x01\0", 4, "unix:", "\"unix:\""},
	{WT_TYPE_SOCKADDR, WT_RADIX_DEC, "\x03\0\x10\0\x07", 5, "100007", "\"100007\""},
	{WT_TYPE_SOCKADDR, WT_RADIX_DEC, "\x01\0\x10", 3, "10", "\"10\""},
};

static void check_value(const struct wt_value *value, const char *text, const char *json)
{
	struct wt_buf out = {0};

	wt_value_text(value, &out);
	assert_string_equal(wt_buf_cstr(&out), text);
	wt_buf_clear(&out);
	wt_value_json(value, &out);
	assert_string_equal(wt_buf_cstr(&out), json);
	wt_buf_deinit(&out);
}

/* From a heap copy of exactly len bytes, so that a read behind it is seen. */
static int decode(const struct wt_field *field, const char *bytes, size_t len, struct wt_value *ret,
		  uint8_t **copy)
{
	struct wt_cursor cur;
	int failed;

	*copy = malloc(len ? len : 1);
	memcpy(*copy, bytes, len);
	cur = wt_cursor(*copy, len);
	failed = wt_decode_field(&cur, field, ret);
	assert_int_equal(cur.bad, failed != 0);
	return failed;
}

static void every_type_reads_and_shows(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(scalars) / sizeof(scalars[0]); i++) {
		const struct wt_field field = {
			.type = scalars[i].type, .radix = scalars[i].radix, .count = 1};
		struct wt_value value;
		uint8_t *copy;

		assert_int_equal(decode(&field, scalars[i].bytes, scalars[i].len, &value, &copy), 0);
		assert_int_equal(value.n, 1);
		check_value(&value, scalars[i].text, scalars[i].json);
		free(copy);
	}
}

static void every_cut_scalar_is_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(scalars) / sizeof(scalars[0]); i++) {
		const struct wt_field field = {.type = scalars[i].type, .count = 1};

		for (size_t len = 0; len < scalars[i].len; len++) {
			struct wt_value value;
			uint8_t *copy;

			assert_int_equal(decode(&field, scalars[i].bytes, len, &value, &copy), -1);
			free(copy);
		}
	}
}

static void integers_are_sign_extended(void **state)
{
	const struct wt_field i8 = {.type = WT_TYPE_I8, .count = 1}, u8 = {.type = WT_TYPE_U8, .count = 1};
	struct wt_value value;
	uint8_t *copy;

	(void)state;
	assert_int_equal(decode(&i8, "\xff", 1, &value, &copy), 0);
	assert_int_equal(value.u, UINT64_MAX);
	free(copy);
	assert_int_equal(decode(&u8, "\xff", 1, &value, &copy), 0);
	assert_int_equal(value.u, 255);
	free(copy);
}

static void arrays_show_their_elements(void **state)
{
	const struct wt_field fixed = {.type = WT_TYPE_I16, .count = 3};
	const struct wt_field variable = {.type = WT_TYPE_U32, .variable = true, .radix = WT_RADIX_HEX};
	const struct wt_field one = {.type = WT_TYPE_IPV4, .variable = true};
	struct wt_value value, element;
	uint8_t *copy;

	(void)state;
	assert_int_equal(decode(&fixed, "\x01\0\xff\xff\x02\0", 6, &value, &copy), 0);
	assert_int_equal(value.n, 3);
	assert_int_equal(value.len, 6);
	check_value(&value, "[1, -1, 2]", "[1,-1,2]");
	assert_int_equal(wt_value_element(&value, 1, &element), 0);
	assert_int_equal(element.u, UINT64_MAX);
	check_value(&element, "-1", "-1");
	assert_int_equal(wt_value_element(&value, 3, &element), -1);
	free(copy);
	assert_int_equal(decode(&variable, "\x02\0\x01\0\0\0\x10\0\0\0", 10, &value, &copy), 0);
	check_value(&value, "[0x1, 0x10]", "[1,16]");
	free(copy);
	assert_int_equal(decode(&variable, "\0\0", 2, &value, &copy), 0);
	check_value(&value, "[]", "[]");
	free(copy);
	assert_int_equal(decode(&one, "\x01\0\x0a\0\0\x01", 6, &value, &copy), 0);
	check_value(&value, "[10.0.0.1]", "[\"10.0.0.1\"]");
	free(copy);
}

static void cut_and_impossible_arrays_are_refused(void **state)
{
	const struct wt_field fixed = {.type = WT_TYPE_U16, .count = 3};
	const struct wt_field variable = {.type = WT_TYPE_U64, .variable = true};
	const struct wt_field strings = {.type = WT_TYPE_STRING, .count = 2};
	const struct wt_field unknown = {.type = (enum wt_type)99, .count = 1};
	struct wt_value value;
	uint8_t *copy;

	(void)state;
	assert_int_equal(decode(&fixed, "12345", 5, &value, &copy), -1);
	free(copy);
	assert_int_equal(decode(&variable, "\xff\xff 12345678", 11, &value, &copy), -1);
	free(copy);
	assert_int_equal(decode(&variable, "\x01", 1, &value, &copy), -1);
	free(copy);
	assert_int_equal(decode(&strings, "\0\0\0\0", 4, &value, &copy), -1);
	free(copy);
	assert_int_equal(decode(&unknown, "\0\0\0\0", 4, &value, &copy), -1);
	free(copy);
}

static void maps_name_values(void **state)
{
	struct wt_named entries[] = {{.name = "zero", .value = 0},
				     {.name = "tw\"o", .value = 2},
				     {.name = "minus", .value = (uint64_t)-1},
				     {.name = "eighty", .value = 0x80},
				     {.name = "again", .value = 2}};
	const struct wt_valmap map = {.name = "m", .entries = entries, .n_entries = 5};
	const struct wt_field i8 = {.type = WT_TYPE_I8, .count = 1, .map = &map};
	const struct wt_field u8 = {.type = WT_TYPE_U8, .count = 1, .map = &map, .radix = WT_RADIX_HEX};
	const struct wt_field list = {.type = WT_TYPE_U8, .count = 2, .map = &map};
	static const struct {
		const char *byte, *i8, *u8, *u8_json;
	} rows[] = {{"\0", "zero", "zero", "\"zero\""},
		    {"\x02", "tw\"o", "tw\"o", "\"tw\\\"o\""},
		    {"\xff", "minus", "0xff", "255"},
		    {"\x80", "eighty", "eighty", "\"eighty\""},
		    {"\x07", "7", "0x7", "7"}};
	struct wt_value value;
	uint8_t *copy;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct wt_buf out = {0};

		assert_int_equal(decode(&i8, rows[i].byte, 1, &value, &copy), 0);
		wt_value_text(&value, &out);
		assert_string_equal(wt_buf_cstr(&out), rows[i].i8);
		wt_buf_deinit(&out);
		free(copy);
		assert_int_equal(decode(&u8, rows[i].byte, 1, &value, &copy), 0);
		check_value(&value, rows[i].u8, rows[i].u8_json);
		free(copy);
	}
	assert_int_equal(decode(&list, "\x00\x07", 2, &value, &copy), 0);
	check_value(&value, "[zero, 7]", "[\"zero\",7]");
	free(copy);
}

static void bitmaps_join_names(void **state)
{
	struct wt_named entries[] = {{.name = "none", .value = 0},
				     {.name = "R", .value = 1},
				     {.name = "W", .value = 2},
				     {.name = "BOTH", .value = 3},
				     {.name = "X", .value = 0x80}};
	const struct wt_valmap map = {.name = "m", .bitmap = true, .entries = entries, .n_entries = 5};
	const struct wt_valmap nameless = {.name = "n", .bitmap = true};
	const struct wt_field u8 = {.type = WT_TYPE_U8, .count = 1, .map = &map};
	const struct wt_field i8 = {.type = WT_TYPE_I8, .count = 1, .map = &map};
	const struct wt_field bare = {.type = WT_TYPE_U8, .count = 1, .map = &nameless};
	struct wt_value value;
	uint8_t *copy;

	(void)state;
	assert_int_equal(decode(&u8, "\x03", 1, &value, &copy), 0);
	check_value(&value, "R|W", "[\"R\",\"W\"]");
	free(copy);
	assert_int_equal(decode(&u8, "\x00", 1, &value, &copy), 0);
	check_value(&value, "none", "[\"none\"]");
	free(copy);
	assert_int_equal(decode(&i8, "\x91", 1, &value, &copy), 0);
	check_value(&value, "R|X|0x10", "[\"R\",\"X\",\"0x10\"]");
	free(copy);
	assert_int_equal(decode(&bare, "\x00", 1, &value, &copy), 0);
	check_value(&value, "0", "[]");
	free(copy);
	assert_int_equal(decode(&bare, "\x05", 1, &value, &copy), 0);
	check_value(&value, "0x5", "[\"0x5\"]");
	free(copy);
}

static void events_must_fit_exactly(void **state)
{
	struct wt_field fields[] = {{.type = WT_TYPE_U16, .count = 1}, {.type = WT_TYPE_STRING, .count = 1}};
	const struct wt_event_desc event = {.fields = fields, .n_fields = 2};
	const struct wt_event_desc empty = {0};
	struct wt_value values[2];

	(void)state;
	assert_int_equal(payload_decode(&event, "\x01\0\x02\0ab", 6, values), 0);
	assert_int_equal(values[0].u, 1);
	assert_memory_equal(values[1].bytes, "ab", 2);
	assert_int_equal(payload_decode(&event, "\x01\0\x02\0abc", 7, values), -1);
	assert_int_equal(payload_decode(&event, "\x01\0\x02\0a", 5, values), -1);
	assert_int_equal(payload_decode(&empty, "", 0, values), 0);
	assert_int_equal(payload_decode(&empty, "a", 1, values), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_type_reads_and_shows),
		cmocka_unit_test(every_cut_scalar_is_refused),
		cmocka_unit_test(integers_are_sign_extended),
		cmocka_unit_test(arrays_show_their_elements),
		cmocka_unit_test(cut_and_impossible_arrays_are_refused),
		cmocka_unit_test(maps_name_values),
		cmocka_unit_test(bitmaps_join_names),
		cmocka_unit_test(events_must_fit_exactly),
	};

	return cmocka_run_group_tests_name("decode", tests, NULL, NULL);
}
