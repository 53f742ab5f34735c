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

/* The text from the place on begins with this. */
static void check_place(const struct wt_json_step *path, size_t n, const char *expected)
{
	size_t offset = wt_json_place(text, strlen(text), path, n);

	assert_true(offset <= strlen(text));
	if (strncmp(text + offset, expected, strlen(expected)))
		fail_msg("expected %s, found %s", expected, text + offset);
}

static void paths_lead_to_their_place(void **state)
{
	const struct wt_json_step b[] = {{"a", 0}, {NULL, 1}, {"b", 0}};
	const struct wt_json_step empty[] = {{"a", 0}, {NULL, 2}};
	const struct wt_json_step x[] = {{"a", 0}, {NULL, 3}};
	const struct wt_json_step d[] = {{"c", 0}, {"d", 0}};
	const struct wt_json_step e[] = {{"e", 0}};

	(void)state;
	check_place(NULL, 0, "{ \"a\"");
	check_place(b, 1, "\"a\" : [");
	check_place(b, 2, "{\"b\"");
	check_place(b, 3, "\"b\":\"}");
	check_place(empty, 2, "[ ]");
	check_place(x, 2, "\"x\"]");
	check_place(d, 2, "\"d\":true");
	check_place(e, 1, "\"e\":null");
}

static void paths_that_end_early_give_the_last_step(void **state)
{
	const struct wt_json_step missing[] = {{"a", 0}, {NULL, 1}, {"z", 0}, {"b", 0}};
	const struct wt_json_step beyond[] = {{"a", 0}, {NULL, 9}};
	const struct wt_json_step scalar[] = {{"e", 0}, {"z", 0}};

	(void)state;
	check_place(missing, 4, "{\"b\"");
	check_place(beyond, 2, "\"a\" : [");
	check_place(scalar, 2, "\"e\":null");
}

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
	const struct wt_json_step path[] = {{"a", 0}, {NULL, 1}, {"a", 0}};
	uint32_t seed = 1;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		size_t len = (size_t)round % 40, offset;
		char *bytes = malloc(len ? len : 1);

		for (size_t i = 0; i < len; i++) {
			seed = seed * 1664525 + 1013904223;
			bytes[i] = alphabet[(seed >> 16) % (sizeof(alphabet) - 1)];
		}
		assert_true(wt_json_place(bytes, len, path, 3) <= len);
		wt_json_members(bytes, len);
		if (wt_json_twice(bytes, len, &offset))
			assert_true(offset < len);
		free(bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_lead_to_their_place),
		cmocka_unit_test(paths_that_end_early_give_the_last_step),
		cmocka_unit_test(lines_count_from_one),
		cmocka_unit_test(members_are_counted_outside_strings),
		cmocka_unit_test(doubles_are_found_in_one_object_only),
		cmocka_unit_test(any_bytes_are_harmless),
	};

	return cmocka_run_group_tests_name("json_place", tests, NULL, NULL);
}
