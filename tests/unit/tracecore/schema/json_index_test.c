// SPDX-License-Identifier: MIT
#include "tracecore/schema/json_index.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char text[] =
	"\n{ \"a\" :\n [1, {\n\"b\":\"}]\\\"\"},\n [\n ] ,\n\"x\"],\n\"c\"\n:{\n\"d\":true}, "
	"\"e\":null\n, \"\":\"f\"}";

static void check_line(const struct wt_json_step *path, size_t n, size_t expected)
{
	struct wt_json_index index;

	assert_int_equal(wt_json_index_init(&index, text, strlen(text)), 0);
	assert_int_equal(wt_json_index_line(&index, path, n), expected);
	wt_json_index_deinit(&index);
}

static void paths_lead_to_their_line(void **state)
{
	const struct wt_json_step b[] = {{"a", 0}, {NULL, 1}, {"b", 0}};
	const struct wt_json_step empty[] = {{"a", 0}, {NULL, 2}};
	const struct wt_json_step x[] = {{"a", 0}, {NULL, 3}};
	const struct wt_json_step d[] = {{"c", 0}, {"d", 0}};
	const struct wt_json_step e[] = {{"e", 0}};
	const struct wt_json_step unnamed[] = {{"", 0}};

	(void)state;
	check_line(NULL, 0, 2);
	check_line(b, 1, 2);
	check_line(b, 2, 3);
	check_line(b, 3, 4);
	check_line(empty, 2, 5);
	check_line(x, 2, 7);
	check_line(d, 1, 8);
	check_line(d, 2, 10);
	check_line(e, 1, 10);
	check_line(unnamed, 1, 11);
}

static void paths_that_end_early_give_the_last_step(void **state)
{
	const struct wt_json_step missing[] = {{"a", 0}, {NULL, 1}, {"z", 0}, {"b", 0}};
	const struct wt_json_step beyond[] = {{"a", 0}, {NULL, 9}};
	const struct wt_json_step scalar[] = {{"e", 0}, {"z", 0}};

	(void)state;
	check_line(missing, 4, 3);
	check_line(beyond, 2, 2);
	check_line(scalar, 2, 10);
}

static void an_empty_index_has_no_lines(void **state)
{
	struct wt_json_index index = {0};

	(void)state;
	assert_int_equal(wt_json_index_line(&index, NULL, 0), 0);
	assert_int_equal(wt_json_index_init(&index, "", 0), 0);
	assert_int_equal(wt_json_index_line(&index, NULL, 0), 0);
	wt_json_index_deinit(&index);
}

/* On text that is not JSON the answers mean nothing, but every read stays inside. */
static void any_bytes_are_harmless(void **state)
{
	static const char alphabet[] = "{}[]\",:\\a 1\n[[[[{{";
	const struct wt_json_step path[] = {{"a", 0}, {NULL, 1}, {"a", 0}};
	uint32_t seed = 1;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		size_t len = (size_t)round % 200;
		char *bytes = malloc(len ? len : 1);
		struct wt_json_index index;

		for (size_t i = 0; i < len; i++) {
			seed = seed * 1664525 + 1013904223;
			bytes[i] = alphabet[(seed >> 16) % (sizeof(alphabet) - 1)];
		}
		assert_int_equal(wt_json_index_init(&index, bytes, len), 0);
		assert_true(wt_json_index_line(&index, path, 3) <= len + 1);
		wt_json_index_deinit(&index);
		free(bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_lead_to_their_line),
		cmocka_unit_test(paths_that_end_early_give_the_last_step),
		cmocka_unit_test(an_empty_index_has_no_lines),
		cmocka_unit_test(any_bytes_are_harmless),
	};

	return cmocka_run_group_tests_name("json_index", tests, NULL, NULL);
}
