// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tracecore/base/list.h"
#include "tools/cmd.h"
#include "tracecore/base/buf.h"

/* Everything the parser says, in order: "json;output=x;word y;" */
struct heard {
	struct wt_buf text;
};

static int on_option(void *ctx, const struct wt_option *option, const char *value, struct wt_err *err)
{
	struct heard *heard = ctx;

	if (value && !strcmp(value, "bad"))
		return wt_fail(err, WT_ERR_USAGE, "'%s' is a bad %s", value, option->name);
	wt_buf_puts(&heard->text, option->name);
	if (value)
		wt_buf_printf(&heard->text, "=%s", value);
	wt_buf_puts(&heard->text, ";");
	return 0;
}

static int on_word(void *ctx, const char *word, struct wt_err *err)
{
	struct heard *heard = ctx;

	if (!strcmp(word, "refused"))
		return wt_fail(err, WT_ERR_USAGE, "no");
	wt_buf_printf(&heard->text, "word %s;", word);
	return 0;
}

static const struct wt_option flags[] = {
	{"long", 'l', NULL, "", .set = on_option},
	{"all", 'a', NULL, "", .set = on_option},
	WT_OPTIONS_END,
};

static const struct wt_option options[] = {
	{"json", 0, NULL, "", .set = on_option},        {.rows = flags},
	{"output", 'o', "FILE", "", .set = on_option},  {"stackwalk", 0, "[LIST]", "", .set = on_option},
	{"frequency", 'F', "HZ", "", .set = on_option}, WT_OPTIONS_END,
};

static int parse(const char *const *words, struct heard *heard, struct wt_err *err)
{
	char *argv[16];
	int argc = 0;

	for (; words[argc]; argc++)
		argv[argc] = (char *)(uintptr_t)words[argc];
	argv[argc] = NULL;
	*heard = (struct heard){0};
	*err = (struct wt_err)WT_ERR_INIT;
	return wt_options_parse(argc, argv, options, on_word, heard, err);
}

#define WORDS(...)                       \
	(const char *const[])            \
	{                                \
		"cmd", __VA_ARGS__, NULL \
	}

static void expect(const char *const *words, int index, const char *text)
{
	struct heard heard;
	struct wt_err err;

	assert_int_equal(parse(words, &heard, &err), index);
	assert_string_equal(wt_buf_cstr(&heard.text), text);
	assert_int_equal(err.code, WT_OK);
	wt_buf_deinit(&heard.text);
}

static void expect_usage(const char *const *words, const char *text)
{
	struct heard heard;
	struct wt_err err;

	assert_int_equal(parse(words, &heard, &err), -1);
	assert_int_equal(err.code, WT_ERR_USAGE);
	assert_string_equal(err.text, text);
	wt_buf_deinit(&heard.text);
}

static void all_ways_to_give_a_value(void **state)
{
	(void)state;
	expect(WORDS("--output", "x"), 3, "output=x;");
	expect(WORDS("--output=x"), 2, "output=x;");
	expect(WORDS("-o", "x"), 3, "output=x;");
	expect(WORDS("-ox"), 2, "output=x;");
	expect(WORDS("--frequency="), 2, "frequency=;");
	expect(WORDS("--output=a=b"), 2, "output=a=b;");
	expect(WORDS("-F997"), 2, "frequency=997;");
	expect(WORDS("-F", "-"), 3, "frequency=-;");
	expect(WORDS("-o", "--json"), 3, "output=--json;");
}

static void flags_and_bundles(void **state)
{
	(void)state;
	expect((const char *const[]){"cmd", NULL}, 1, "");
	expect(WORDS("--json"), 2, "json;");
	expect(WORDS("-la"), 2, "long;all;");
	expect(WORDS("-laox"), 2, "long;all;output=x;");
	expect(WORDS("-lo", "x", "-a"), 4, "long;output=x;all;");
}

static void optional_value_only_behind_equals(void **state)
{
	(void)state;
	expect(WORDS("--stackwalk"), 2, "stackwalk;");
	expect(WORDS("--stackwalk=a,b"), 2, "stackwalk=a,b;");
	expect(WORDS("--stackwalk", "a"), 3, "stackwalk;word a;");
}

static void words_and_the_end_of_options(void **state)
{
	(void)state;
	expect(WORDS("a", "--json", "b"), 4, "word a;json;word b;");
	expect(WORDS("-"), 2, "word -;");
	expect(WORDS(""), 2, "word ;");
	expect(WORDS("--json", "--", "--output", "x"), 3, "json;");
	expect(WORDS("--"), 2, "");
}

static void unknown_options_name_the_nearest(void **state)
{
	(void)state;
	expect_usage(WORDS("--stakwalk"), "unknown option '--stakwalk'; did you mean '--stackwalk'?");
	expect_usage(WORDS("--output="), "-o needs the name of a file: it is empty");
	expect_usage(WORDS("--otput=x"), "unknown option '--otput'; did you mean '--output'?");
	expect_usage(WORDS("--verbos"), "unknown option '--verbos'; did you mean '--verbose'?");
	expect_usage(WORDS("-output", "x"), "unknown option '-output'; did you mean '--output'?");
	expect_usage(WORDS("-stackwalk=a"), "unknown option '-stackwalk'; did you mean '--stackwalk'?");
	expect_usage(WORDS("-f", "1"), "unknown option '-f'; did you mean '-F'?");
	expect_usage(WORDS("-lz"),
		     "unknown option '-z'; known: --json, --long, --all, --output, --stackwalk, --frequency, "
		     "--quiet, --verbose, --help");
	expect_usage(WORDS("--outp", "x"), "unknown option '--outp'; did you mean '--output'?");
}

static void misused_options(void **state)
{
	(void)state;
	expect_usage(WORDS("--json=1"), "option '--json' takes no value");
	expect_usage(WORDS("--output"), "option '--output' needs a value");
	expect_usage(WORDS("-o"), "option '-o' needs a value");
	expect_usage(WORDS("-o", "--", "true"), "option '-o' needs a value");
	expect_usage(WORDS("--output", "bad"), "'bad' is a bad output");
	expect_usage(WORDS("refused"), "no");
}

static void a_command_without_words_refuses_them(void **state)
{
	char *argv[] = {(char[]){"cmd"}, (char[]){"extra"}, NULL};
	struct wt_err err = WT_ERR_INIT;

	(void)state;
	assert_int_equal(wt_options_parse(2, argv, options, NULL, NULL, &err), -1);
	assert_int_equal(err.code, WT_ERR_USAGE);
	assert_string_equal(err.text, "'extra' is not expected here");
}

static void a_very_long_unknown_option_is_cut(void **state)
{
	char arg[1000];
	struct heard heard;
	struct wt_err err;

	(void)state;
	memset(arg, 'x', sizeof(arg) - 1);
	arg[0] = arg[1] = '-';
	arg[sizeof(arg) - 1] = '\0';
	assert_int_equal(parse(WORDS(arg), &heard, &err), -1);
	assert_int_equal(err.code, WT_ERR_USAGE);
	assert_non_null(strstr(err.text, "unknown option '--xxxx"));
	assert_non_null(strstr(err.text, "known: --json"));
}

static int hear_word(void *ctx, char *word, struct wt_err *err)
{
	(void)err;
	wt_buf_printf(ctx, "[%s]", word);
	return 0;
}

static void expect_list(const char *list, const char *text)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_buf heard = {0};

	assert_int_equal(wt_list_each(list, "the list", hear_word, &heard, &err), text ? 0 : -1);
	if (text)
		assert_string_equal(wt_buf_cstr(&heard), text);
	else
		assert_non_null(strstr(err.text, "empty word in the list"));
	wt_buf_deinit(&heard);
}

static void lists_have_commas(void **state)
{
	(void)state;
	expect_list("a", "[a]");
	expect_list("a,b,c", "[a][b][c]");
	expect_list("sched/a,sched/b", "[sched/a][sched/b]");
	expect_list("cpu/event=1,umask=2/,b", "[cpu/event=1,umask=2/][b]");
	expect_list("a,cpu/event=1,umask=2/k:100,b", "[a][cpu/event=1,umask=2/k:100][b]");
	expect_list("", NULL);
	expect_list("a,", NULL);
	expect_list(",a", NULL);
	expect_list("a,,b", NULL);
}

struct places {
	const char *text;
	bool flag;
};

static void rows_say_where_values_go(void **state)
{
	static const struct wt_option rows[] = {
		{"text", 't', "TEXT", "", WT_TEXT(struct places, text)},
		{"flag", 'f', NULL, "", WT_FLAG(struct places, flag)},
		WT_OPTIONS_END,
	};
	char *argv[] = {(char[]){"cmd"}, (char[]){"-ft"}, (char[]){"a"}, (char[]){"-tb"}, NULL};
	struct places places = {0};
	struct wt_err err = WT_ERR_INIT;

	(void)state;
	assert_int_equal(wt_options_parse(3, argv, rows, NULL, &places, &err), 3);
	assert_true(places.flag);
	assert_string_equal(places.text, "a");
	places.text = NULL;
	assert_int_equal(wt_options_parse(4, argv, rows, NULL, &places, &err), -1);
	assert_string_equal(err.text, "--text is given twice");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_ways_to_give_a_value),
		cmocka_unit_test(flags_and_bundles),
		cmocka_unit_test(optional_value_only_behind_equals),
		cmocka_unit_test(words_and_the_end_of_options),
		cmocka_unit_test(unknown_options_name_the_nearest),
		cmocka_unit_test(misused_options),
		cmocka_unit_test(a_command_without_words_refuses_them),
		cmocka_unit_test(lists_have_commas),
		cmocka_unit_test(rows_say_where_values_go),
		cmocka_unit_test(a_very_long_unknown_option_is_cut),
	};

	return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
