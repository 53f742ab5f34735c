// SPDX-License-Identifier: MIT
#include "tracecore/schema/json_place.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char text[] =
	"\n{ \"a\" : [1, {\"b\":\"}]\\\"\"},\n [ ] ,\"x\"],\n\"c\":{\"d\":true}, \"e\":null }";

static void lines_count_from_one(void **state)
{
	(void)state;
	assert_int_equal(wt_json_line(text, 0), 1);
	assert_int_equal(wt_json_line(text, 1), 2);
	assert_int_equal(wt_json_line(text, strlen(text)), 4);
}

static void members_are_counted_outside_strings(void **state)
{
	(void)state;
	assert_int_equal(wt_json_members(text, strlen(text)), 5);
	assert_int_equal(wt_json_members("{\"a:\":\"b:\\\":\"}", 14), 1);
	assert_int_equal(wt_json_members("", 0), 0);
}

static void doubles_are_found_in_one_object_only(void **state)
{
	const char *const twice = "{\"a\":{\"b\":[{\"c\":1,\"d\":\"a\",\"c\":2}]}}";
	const char *const once = "{\"a\":{\"a\":[{\"a\":\"a\"}]},\"b\":{\"a\":1}}";
	size_t offset = 0;

	(void)state;
	assert_true(wt_json_twice(twice, strlen(twice), &offset));
	assert_int_equal(offset, strrchr(twice, 'c') - twice - 1);
	assert_false(wt_json_twice(once, strlen(once), &offset));
}

/* On text that is not JSON the answers mean nothing, but every read stays inside. */
static void any_bytes_are_harmless(void **state)
{
	static const char alphabet[] = "{}[]\",:\\a 1\n";
	uint32_t seed = 1;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		size_t len = (size_t)round % 40, offset;
		char *bytes = malloc(len ? len : 1);

		for (size_t i = 0; i < len; i++) {
			seed = seed * 1664525 + 1013904223;
			bytes[i] = alphabet[(seed >> 16) % (sizeof(alphabet) - 1)];
		}
		wt_json_members(bytes, len);
		if (wt_json_twice(bytes, len, &offset))
			assert_true(offset < len);
		free(bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_count_from_one),
		cmocka_unit_test(members_are_counted_outside_strings),
		cmocka_unit_test(doubles_are_found_in_one_object_only),
		cmocka_unit_test(any_bytes_are_harmless),
	};

	return cmocka_run_group_tests_name("json_place", tests, NULL, NULL);
}
