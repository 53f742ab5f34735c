// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tracecore/base/fold.h"

static void folds_to(const char *text, size_t at, size_t column, size_t width, const char *expected)
{
	struct wt_buf out = {0};

	wt_fold(text, at, column, width, &out);
	assert_string_equal(wt_buf_cstr(&out), expected);
	wt_buf_deinit(&out);
}

static void lines_end_between_words(void **state)
{
	(void)state;
	folds_to("one two three", 0, 2, 9, "  one two\n  three\n");
	folds_to("one two three", 0, 2, 10, "  one two\n  three\n");
	folds_to("one two three", 0, 2, 15, "  one two three\n");
	folds_to("  one   two  ", 0, 0, 80, "one two\n");
	folds_to("", 0, 4, 80, "\n");
	folds_to("   ", 0, 4, 80, "\n");
}

static void a_long_word_has_a_line_of_its_own(void **state)
{
	(void)state;
	folds_to("a verylongword b", 0, 1, 6, " a\n verylongword\n b\n");
}

static void the_first_line_has_begun(void **state)
{
	(void)state;
	folds_to("one two", 3, 5, 10, "  one\n     two\n");
	folds_to("one two", 5, 5, 12, "one two\n");
}

static void bytes_for_no_terminal_are_escaped(void **state)
{
	(void)state;
	folds_to("a\x1b[31mb", 0, 0, 80, "a\\x1b[31mb\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_end_between_words),
		cmocka_unit_test(a_long_word_has_a_line_of_its_own),
		cmocka_unit_test(the_first_line_has_begun),
		cmocka_unit_test(bytes_for_no_terminal_are_escaped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
