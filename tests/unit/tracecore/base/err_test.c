// SPDX-License-Identifier: MIT
#include "tracecore/base/err.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void failing_fills_code_and_text(void **state)
{
	struct wt_err err = WT_ERR_INIT;

	(void)state;
	assert_int_equal(err.code, WT_OK);
	assert_int_equal(wt_fail(&err, WT_ERR_LIMIT, "%s: %d of %d", "x", 3, 2), -1);
	assert_int_equal(err.code, WT_ERR_LIMIT);
	assert_int_equal(err.sys_errno, 0);
	assert_string_equal(err.text, "x: 3 of 2");
}

static void errno_chooses_the_code(void **state)
{
	static const struct {
		int sys_errno;
		enum wt_code code;
	} rows[] = {{EPERM, WT_ERR_PERMISSION}, {EACCES, WT_ERR_PERMISSION}, {ENOMEM, WT_ERR_NOMEM},
		    {ENOSPC, WT_ERR_NOSPACE},   {EDQUOT, WT_ERR_NOSPACE},    {ENOENT, WT_ERR_NOTFOUND},
		    {EEXIST, WT_ERR_EXISTS},    {EIO, WT_ERR_SYSTEM},        {EMFILE, WT_ERR_SYSTEM}};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct wt_err err = WT_ERR_INIT;
		char expected[128] = "open a.etl: ";

		strncat(expected, strerror(rows[i].sys_errno), 64);
		errno = rows[i].sys_errno;
		assert_int_equal(wt_fail_errno(&err, "open %s", "a.etl"), -1);
		assert_int_equal(err.code, rows[i].code);
		assert_int_equal(err.sys_errno, rows[i].sys_errno);
		assert_string_equal(err.text, expected);
	}
}

static void prefixes_stand_in_front_and_keep_the_code(void **state)
{
	struct wt_err err = WT_ERR_INIT;

	(void)state;
	wt_fail(&err, WT_ERR_FORMAT, "damaged");
	assert_int_equal(wt_fail_prefix(&err, "file %s", "a"), -1);
	wt_fail_prefix(&err, "cannot view");
	assert_string_equal(err.text, "cannot view: file a: damaged");
	assert_int_equal(err.code, WT_ERR_FORMAT);
}

static void long_texts_are_cut_not_overrun(void **state)
{
	struct {
		struct wt_err err;
		char guard[8];
	} box = {.guard = "guarded"};
	char text[2 * WT_ERR_TEXT_SIZE];

	(void)state;
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = 0;
	wt_fail(&box.err, WT_ERR_USAGE, "%s", text);
	assert_int_equal(strlen(box.err.text), WT_ERR_TEXT_SIZE - 1);
	wt_fail_prefix(&box.err, "%s", text);
	assert_int_equal(strlen(box.err.text), WT_ERR_TEXT_SIZE - 1);
	errno = EIO;
	wt_fail_errno(&box.err, "%s", text);
	assert_int_equal(strlen(box.err.text), WT_ERR_TEXT_SIZE - 1);
	assert_string_equal(box.guard, "guarded");
}

static void what_a_text_quotes_is_escaped(void **state)
{
	struct wt_err err = WT_ERR_INIT;

	(void)state;
	wt_fail(&err, WT_ERR_FORMAT, "host %s", "evil\033[31m");
	assert_string_equal(err.text, "host evil\\x1b[31m");
	wt_fail_prefix(&err, "file %s", "a\nb");
	assert_string_equal(err.text, "file a\\nb: host evil\\x1b[31m");
}

static void nobody_has_to_listen(void **state)
{
	(void)state;
	errno = EIO;
	assert_int_equal(wt_fail(NULL, WT_ERR_USAGE, "x"), -1);
	assert_int_equal(wt_fail_errno(NULL, "x"), -1);
	assert_int_equal(wt_fail_prefix(NULL, "x"), -1);
	assert_int_equal(wt_fail_nomem(NULL), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(failing_fills_code_and_text),
		cmocka_unit_test(errno_chooses_the_code),
		cmocka_unit_test(prefixes_stand_in_front_and_keep_the_code),
		cmocka_unit_test(long_texts_are_cut_not_overrun),
		cmocka_unit_test(what_a_text_quotes_is_escaped),
		cmocka_unit_test(nobody_has_to_listen),
	};

	return cmocka_run_group_tests_name("err", tests, NULL, NULL);
}
