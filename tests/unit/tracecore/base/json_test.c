// SPDX-License-Identifier: MIT
#include "tracecore/base/json.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void put_all(struct wt_json *json)
{
	wt_json_text(json, "text", "a\"b\n");
	wt_json_text(json, "none", NULL);
	wt_json_bytes(json, "bytes", "x\0y", 3);
	wt_json_hex(json, "hex", "\x01\xab", 2);
	wt_json_uuid(json, "id",
		     (const uint8_t *)"\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff");
	wt_json_mask(json, "mask", 0x1f);
	wt_json_number(json, "most", UINT64_MAX);
	wt_json_signed(json, "least", INT64_MIN);
	wt_json_signed(json, "five", 5);
	wt_json_bool(json, "yes", true);
	wt_json_bool(json, "no", false);
	wt_json_null(json, "null");
}

static void check(struct wt_buf *out, const char *want)
{
	assert_string_equal(wt_buf_cstr(out), want);
	wt_buf_deinit(out);
}

static void test_values(void **state)
{
	struct wt_buf out = {0};
	struct wt_json json = wt_json(&out);

	(void)state;
	wt_json_object(&json, NULL);
	put_all(&json);
	wt_json_end_document(&json);
	check(&out, "{\"text\":\"a\\\"b\\n\",\"none\":null,\"bytes\":\"x\\u0000y\",\"hex\":\"01ab\",\"id\":"
		    "\"00112233-4455-6677-8899-aabbccddeeff\",\"mask\":"
		    "\"0x1f\","
		    "\"most\":18446744073709551615,\"least\":-9223372036854775808,\"five\":5,\"yes\":true,"
		    "\"no\":false,\"null\":null}\n");
}

static void test_commas(void **state)
{
	struct wt_buf out = {0};
	struct wt_json json = wt_json(&out);

	(void)state;
	wt_json_array(&json, NULL);
	wt_json_object(&json, NULL);
	wt_json_end_object(&json);
	wt_json_array(&json, NULL);
	wt_json_number(&json, NULL, 1);
	wt_json_number(&json, NULL, 2);
	wt_json_end_array(&json);
	wt_json_object(&json, NULL);
	wt_json_array(&json, "a\tb");
	wt_json_end_array(&json);
	wt_json_key(&json, "own");
	wt_buf_puts(json.out, "1.5");
	wt_json_object(&json, "o");
	wt_json_null(&json, "n");
	wt_json_end_object(&json);
	wt_json_end_object(&json);
	wt_json_end_array(&json);
	check(&out, "[{},[1,2],{\"a\\tb\":[],\"own\":1.5,\"o\":{\"n\":null}}]");
}

/* A buffer that is handed out between two items. */
static void test_emptied_between(void **state)
{
	struct wt_buf out = {0};
	struct wt_json json = wt_json(&out);

	(void)state;
	wt_json_array(&json, NULL);
	wt_buf_clear(&out);
	wt_json_number(&json, NULL, 1);
	assert_string_equal(wt_buf_cstr(&out), "1");
	wt_buf_clear(&out);
	wt_json_number(&json, NULL, 2);
	check(&out, ",2");
}

static void test_lines(void **state)
{
	struct wt_buf out = {0};
	struct wt_json json = wt_json(&out);

	(void)state;
	wt_json_object(&json, NULL);
	wt_json_array(&json, "rows");
	for (uint64_t i = 0; i < 2; i++) {
		wt_json_next_line(&json);
		wt_json_object(&json, NULL);
		wt_json_number(&json, "i", i);
		wt_json_number(&json, "j", i);
		wt_json_end_object(&json);
	}
	wt_json_end_lines(&json);
	wt_json_array(&json, "none");
	wt_json_end_lines(&json);
	wt_json_end_document(&json);
	check(&out, "{\"rows\":[\n {\"i\":0,\"j\":0},\n {\"i\":1,\"j\":1}\n],\"none\":[\n]}\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_commas),
		cmocka_unit_test(test_emptied_between),
		cmocka_unit_test(test_lines),
	};

	return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
