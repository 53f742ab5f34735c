// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tracecore/base/nearest.h"

static const char *const words[] = {"cycles", "instructions", "cpu-clock", "task-clock", "page-faults"};
enum { N_WORDS = sizeof(words) / sizeof(words[0]) };

static void finds_typos(void **state)
{
	(void)state;
	assert_string_equal(wt_nearest("cycels", words, N_WORDS), "cycles");
	assert_string_equal(wt_nearest("CYCLES", words, N_WORDS), "cycles");
	assert_string_equal(wt_nearest("cpuclock", words, N_WORDS), "cpu-clock");
	assert_string_equal(wt_nearest("intructions", words, N_WORDS), "instructions");
	assert_string_equal(wt_nearest("tsak-clock", words, N_WORDS), "task-clock");
}

static void far_words_are_not_near(void **state)
{
	static const char *const one[] = {"ab"};
	char lengthy[200];

	(void)state;
	assert_null(wt_nearest("banana", words, N_WORDS));
	assert_null(wt_nearest("", words, N_WORDS));
	assert_null(wt_nearest("cycles", words, 0));
	assert_string_equal(wt_nearest("ac", one, 1), "ab");
	assert_null(wt_nearest("xy", one, 1));
	memset(lengthy, 'c', sizeof(lengthy));
	lengthy[sizeof(lengthy) - 1] = 0;
	assert_null(wt_nearest(lengthy, words, N_WORDS));
}

static void errors_name_the_way_out(void **state)
{
	struct wt_err err = WT_ERR_INIT;

	(void)state;
	assert_int_equal(wt_fail_unknown(&err, "event", "cycels", words, N_WORDS), -1);
	assert_int_equal(err.code, WT_ERR_USAGE);
	assert_string_equal(err.text, "unknown event 'cycels'; did you mean 'cycles'?");
	wt_fail_unknown(&err, "event", "banana", words, 2);
	assert_string_equal(err.text, "unknown event 'banana'; known: cycles, instructions");
	wt_fail_unknown(&err, "event", "banana", words, 0);
	assert_string_equal(err.text, "unknown event 'banana'");
}

/* Whole names, and how many are not there. */
static void many_names_are_counted(void **state)
{
	const char *many[100];
	struct wt_err err = WT_ERR_INIT;

	(void)state;
	for (size_t i = 0; i < 100; i++)
		many[i] = "instructions";
	wt_fail_unknown(&err, "event", "x", many, 100);
	assert_non_null(strstr(err.text, ", instructions, and 72 more"));
	assert_true(strlen(err.text) < WT_ERR_TEXT_SIZE - 1);
}

static void which_of_the_words(void **state)
{
	static const char *const kinds[] = {"user", "process"};
	struct wt_err err = WT_ERR_INIT;

	(void)state;
	assert_int_equal(wt_one_of(&err, "kind", "user", kinds, 2), 0);
	assert_int_equal(wt_one_of(&err, "kind", "process", kinds, 2), 1);
	assert_int_equal(err.code, WT_OK);
	assert_int_equal(wt_one_of(&err, "kind", "User", kinds, 2), -1);
	assert_int_equal(err.code, WT_ERR_USAGE);
	assert_string_equal(err.text, "unknown kind 'User'; did you mean 'user'?");
	assert_int_equal(wt_one_of(&err, "kind", "us", kinds, 0), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(which_of_the_words),     cmocka_unit_test(finds_typos),
		cmocka_unit_test(far_words_are_not_near), cmocka_unit_test(errors_name_the_way_out),
		cmocka_unit_test(many_names_are_counted),
	};

	return cmocka_run_group_tests_name("base/nearest", tests, NULL, NULL);
}
