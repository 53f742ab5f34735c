// SPDX-License-Identifier: MIT
#include "tracecore/base/diag.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char lines[4096];
static int ctx_seen;

static void collect(void *ctx, const char *line)
{
	size_t len = strlen(lines);

	ctx_seen = *(int *)ctx;
	snprintf(lines + len, sizeof(lines) - len, "%s\n", line);
}

static void say_all(enum wt_diag_level level)
{
	int ctx = 42;

	lines[0] = 0;
	ctx_seen = 0;
	wt_diag_redirect(collect, &ctx);
	wt_diag_level(level);
	wt_note("n%d", 1);
	wt_warn("w%d", 2);
	wt_debug("d%d", 3);
	wt_diag_level(WT_DIAG_NORMAL);
	wt_diag_redirect(NULL, NULL);
	assert_int_equal(ctx_seen, 42);
}

static void levels_choose_what_is_said(void **state)
{
	(void)state;
	say_all(WT_DIAG_NORMAL);
	assert_string_equal(lines, "note: n1\nwarning: w2\n");
	say_all(WT_DIAG_QUIET);
	assert_string_equal(lines, "warning: w2\n");
	say_all(WT_DIAG_VERBOSE);
	assert_string_equal(lines, "note: n1\nwarning: w2\nd3\n");
}

static void long_lines_are_cut(void **state)
{
	char text[3000];
	int ctx = 1;

	(void)state;
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = 0;
	lines[0] = 0;
	wt_diag_redirect(collect, &ctx);
	wt_warn("%s", text);
	wt_diag_redirect(NULL, NULL);
	assert_int_equal(strlen(lines), 1023 + 1);
	assert_memory_equal(lines, "warning: aaa", 12);
}

static void what_a_line_quotes_is_escaped(void **state)
{
	int ctx = 1;

	(void)state;
	lines[0] = 0;
	wt_diag_redirect(collect, &ctx);
	wt_warn("host %s", "evil\033[31m\nhost");
	wt_diag_redirect(NULL, NULL);
	assert_string_equal(lines, "warning: host evil\\x1b[31m\\nhost\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(levels_choose_what_is_said),
		cmocka_unit_test(long_lines_are_cut),
		cmocka_unit_test(what_a_line_quotes_is_escaped),
	};

	return cmocka_run_group_tests_name("diag", tests, NULL, NULL);
}
