// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tools/front.h"
#include "tools/help.h"
#include "tools/version.h"

static char *words[16];
static int n_words;

static void say(const char *const *given)
{
	for (n_words = 0; given[n_words]; n_words++)
		words[n_words] = (char *)(uintptr_t)given[n_words];
	words[n_words] = NULL;
}

#define SAY(...) say((const char *const[]){"wtrace", ##__VA_ARGS__, NULL})

static void taken(struct wt_front *front, const char *left)
{
	struct wt_buf text = {0};

	*front = (struct wt_front){0};
	wt_front_take(front, &n_words, words);
	for (int i = 0; i < n_words; i++)
		wt_buf_printf(&text, "%s ", words[i]);
	assert_string_equal(wt_buf_cstr(&text), left);
	assert_null(words[n_words]);
	wt_buf_deinit(&text);
}

static void common_options_are_taken_out(void **state)
{
	struct wt_front front;

	(void)state;
	SAY("list", "-q", "events");
	taken(&front, "wtrace list events ");
	assert_int_equal(front.level, WT_DIAG_QUIET);
	assert_false(front.help);
	SAY("-v", "list", "--help");
	taken(&front, "wtrace list ");
	assert_int_equal(front.level, WT_DIAG_VERBOSE);
	assert_true(front.help);
	SAY();
	taken(&front, "wtrace ");
	assert_int_equal(front.level, WT_DIAG_NORMAL);
}

static void what_stands_behind_dashes_is_left_alone(void **state)
{
	struct wt_front front;

	(void)state;
	SAY("record", "-q", "--", "ls", "-v", "--help");
	taken(&front, "wtrace record -- ls -v --help ");
	assert_int_equal(front.level, WT_DIAG_QUIET);
	assert_false(front.help);
}

/* Runs the front with standard output and error going to a file whose text comes back in `shown`. */
static int run(struct wt_err *err, char *shown, size_t size)
{
	struct wt_front front = {0};
	FILE *file = tmpfile();
	int saved_out = dup(STDOUT_FILENO), saved_err = dup(STDERR_FILENO);
	size_t n;
	int code;

	assert_non_null(file);
	fflush(stdout);
	dup2(fileno(file), STDOUT_FILENO);
	dup2(fileno(file), STDERR_FILENO);
	*err = (struct wt_err)WT_ERR_INIT;
	wt_front_take(&front, &n_words, words);
	code = wt_front_run(&front, n_words, words, err);
	fflush(stdout);
	dup2(saved_out, STDOUT_FILENO);
	dup2(saved_err, STDERR_FILENO);
	close(saved_out);
	close(saved_err);
	rewind(file);
	n = fread(shown, 1, size - 1, file);
	shown[n] = '\0';
	fclose(file);
	return code;
}

static char shown[16384];

static void help_lists_every_command(void **state)
{
	static const char *const ways[] = {"help", "--help", "-h"};
	struct wt_err err;

	(void)state;
	for (size_t way = 0; way < 3; way++) {
		SAY(ways[way]);
		assert_int_equal(run(&err, shown, sizeof(shown)), WT_EXIT_OK);
		for (size_t i = 0; i < wt_n_commands; i++) {
			char line[64];

			snprintf(line, sizeof(line), "\n  %-9s ", wt_commands[i].name);
			assert_non_null(strstr(shown, line));
			assert_non_null(strstr(shown, wt_commands[i].line));
		}
	}
}

static void nothing_said_is_wrong_usage(void **state)
{
	struct wt_err err;

	(void)state;
	SAY();
	assert_int_equal(run(&err, shown, sizeof(shown)), WT_EXIT_USAGE);
	assert_non_null(strstr(shown, "usage: wtrace COMMAND"));
}

static void every_command_has_help_of_its_own(void **state)
{
	struct wt_err err;

	(void)state;
	for (size_t i = 0; i < wt_n_commands; i++) {
		const struct wt_command *command = &wt_commands[i];
		struct wt_buf help = {0};
		char usage[64];

		snprintf(usage, sizeof(usage), "usage: wtrace %s", command->name);
		SAY(command->name, "--help");
		assert_int_equal(run(&err, shown, sizeof(shown)), WT_EXIT_OK);
		wt_help_command(command, &help);
		assert_string_equal(shown, wt_buf_cstr(&help));
		assert_null(strstr(shown, "@options"));
		assert_ptr_equal(strstr(shown, usage), shown);
		assert_non_null(strstr(shown, "\nexamples:\n"));
		assert_int_equal(shown[strlen(shown) - 1], '\n');
		SAY("help", command->name);
		assert_int_equal(run(&err, shown, sizeof(shown)), WT_EXIT_OK);
		assert_string_equal(shown, wt_buf_cstr(&help));
		wt_buf_deinit(&help);
	}
}

static void expect_usage(const char *text)
{
	struct wt_err err;

	assert_int_equal(run(&err, shown, sizeof(shown)), WT_EXIT_USAGE);
	assert_int_equal(err.code, WT_ERR_USAGE);
	assert_non_null(strstr(err.text, text));
	assert_string_equal(shown, "");
}

static void unknown_words_name_the_nearest(void **state)
{
	(void)state;
	SAY("docter");
	expect_usage("unknown command 'docter'; did you mean 'doctor'?");
	SAY("Doctor");
	expect_usage("unknown command 'Doctor'; did you mean 'doctor'?");
	SAY("help", "docter");
	expect_usage("did you mean 'doctor'?");
	SAY("docter", "--help");
	expect_usage("did you mean 'doctor'?");
	SAY("zzzzzz");
	expect_usage("unknown command 'zzzzzz'; known: ");
	SAY("");
	expect_usage("unknown command ''; ");
	SAY("--versoin");
	expect_usage("unknown option '--versoin'; did you mean '--version'?");
	SAY("help", "doctor", "list");
	expect_usage("not also 'list'");
	SAY("--version", "--jsn");
	expect_usage("only --json is understood, not '--jsn'");
	SAY("doctor", "--jsno");
	expect_usage("unknown option '--jsno'; did you mean '--json'?");
	SAY("doctor", "now");
	expect_usage("'now' is not expected here");
}

static void words_of_other_tools_say_what_it_is_here(void **state)
{
	(void)state;
	SAY("help", "report");
	expect_usage("'report' is a word of another tool; in wtrace: wtrace view");
	SAY("help", "create");
	expect_usage("in wtrace: wtrace start -s NAME");
}

static void what_record_runs_keeps_its_words(void **state)
{
	struct wt_front front;

	(void)state;
	SAY("record", "-o", "-q", "-v", "ls", "-v", "--help");
	taken(&front, "wtrace record -o -q ls -v --help ");
	assert_int_equal(front.level, WT_DIAG_VERBOSE);
	assert_false(front.help);
	SAY("view", "x", "-h");
	taken(&front, "wtrace view x ");
	assert_true(front.help);
}

static void version_as_text_and_json(void **state)
{
	struct wt_err err;

	(void)state;
	SAY("--version");
	assert_int_equal(run(&err, shown, sizeof(shown)), WT_EXIT_OK);
	assert_ptr_equal(strstr(shown, "wtrace " WT_VERSION " ("), shown);
	assert_non_null(strstr(shown, "+perf+"));
	assert_ptr_equal(strchr(shown, '\n'), shown + strlen(shown) - 1);
	SAY("-V", "--json");
	assert_int_equal(run(&err, shown, sizeof(shown)), WT_EXIT_OK);
	assert_non_null(strstr(shown, "\"Component\":\"wtrace\",\"Version\":\"" WT_VERSION "\",\"GitVer\":"));
	assert_non_null(strstr(shown, "\"FeatureString\":\"+perf+"));
}

static void names_and_lines_fit_the_list(void **state)
{
	(void)state;
	for (size_t i = 0; i < wt_n_commands; i++) {
		assert_true(strlen(wt_commands[i].name) <= 9);
		assert_true(strlen(wt_commands[i].line) <= 80);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(wt_commands[i].name, wt_commands[k].name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(common_options_are_taken_out),
		cmocka_unit_test(what_stands_behind_dashes_is_left_alone),
		cmocka_unit_test(help_lists_every_command),
		cmocka_unit_test(nothing_said_is_wrong_usage),
		cmocka_unit_test(every_command_has_help_of_its_own),
		cmocka_unit_test(unknown_words_name_the_nearest),
		cmocka_unit_test(words_of_other_tools_say_what_it_is_here),
		cmocka_unit_test(what_record_runs_keeps_its_words),
		cmocka_unit_test(version_as_text_and_json),
		cmocka_unit_test(names_and_lines_fit_the_list),
	};

	return cmocka_run_group_tests_name("front", tests, NULL, NULL);
}
