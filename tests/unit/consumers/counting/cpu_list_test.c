// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "consumers/counting/cpu_list.h"

static struct wt_cpuset online(void)
{
	struct wt_cpuset set;

	assert_int_equal(wt_cpuset_parse("0-7,9", &set), 0);
	return set;
}

static void expect(const char *list, const char *wanted)
{
	struct wt_cpuset on = online(), set;
	struct wt_err err = WT_ERR_INIT;
	struct wt_buf text = {0};

	if (wt_cpu_list_parse(list, &on, &set, &err))
		fail_msg("'%s': %s", list, err.text);
	wt_cpu_list_text(&set, &text);
	assert_string_equal(wt_buf_cstr(&text), wanted);
	wt_buf_deinit(&text);
}

static void lists_are_read(void **state)
{
	(void)state;
	expect("0", "0");
	expect("0,3-5", "0,3-5");
	expect("5-3,0", "0,3-5");
	expect("1,1,1-2,2", "1-2");
	expect("0-7,9", "0-7,9");
}

static void expect_error(const char *list, const char *word)
{
	struct wt_cpuset on = online(), set = {{5}};
	struct wt_err err = WT_ERR_INIT;

	assert_int_equal(wt_cpu_list_parse(list, &on, &set, &err), -1);
	assert_int_equal(err.code, WT_ERR_USAGE);
	if (!strstr(err.text, word))
		fail_msg("'%s': %s", list, err.text);
	assert_int_equal(set.bits[0], 5);
}

static void the_wrong_word_is_named(void **state)
{
	(void)state;
	expect_error("", "''");
	expect_error("x", "'x'");
	expect_error("0,", "not a list");
	expect_error("0,,1", "',1' in '0,,1'");
	expect_error("0-", "'0-'");
	expect_error("-1", "'-1'");
	expect_error("1;2", "'1;2'");
	expect_error("99999999999", "not a list");
	expect_error("8", "no CPU 8 here, or it is off; CPUs that are on: 0-7,9");
	expect_error("5-10", "no CPU 8");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_are_read),
		cmocka_unit_test(the_wrong_word_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
