// SPDX-License-Identifier: MIT
/* One row is all there is to an option: its words show in --help, in the man page and in the completion. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "docs/templates.h"
#include "tools/help.h"

static const struct wt_option common[] = {
	{"from", 0, "TIME", "only events from then on", .set = NULL},
	WT_OPTIONS_END,
};
static const struct wt_option options[] = {
	{"output", 'o', "FILE", "where it's put; default: \\nowhere, the user's choice", .values = "@files"},
	{.rows = common},
	{"stackwalk", 0, "[LIST]", "stacks", .set = NULL},
	{"json", 0, NULL, "one JSON object", .set = NULL},
	{"a-name-that-leaves-no-room", 'a', "VALUE",
	 "words that fill more than one line of the terminal, so that what is behind them stands below the "
	 "first ones",
	 .set = NULL},
	WT_OPTIONS_END,
};
static const struct wt_option none[] = {WT_OPTIONS_END};
static const struct wt_command commands[] = {
	{.name = "make",
	 .help = "usage: wtrace make\n\n@options\n\nexamples:\n  wtrace make\n",
	 .options = options,
	 .words = "a b|@files"},
	{.name = "none", .help = "usage: wtrace none\n", .options = none},
};

static void help_is_made_of_the_rows(void **state)
{
	struct wt_buf out = {0};

	(void)state;
	wt_help_command(&commands[0], &out);
	assert_string_equal(
		wt_buf_cstr(&out),
		"usage: wtrace make\n\n"
		"  -o, --output FILE       where it's put; default: \\nowhere, the user's choice\n"
		"      --from TIME         only events from then on\n"
		"      --stackwalk[=LIST]  stacks\n"
		"      --json              one JSON object\n"
		"  -a, --a-name-that-leaves-no-room VALUE\n"
		"                          words that fill more than one line of the terminal, so that what "
		"is "
		"behind\n"
		"                          them stands below the first ones\n"
		"\nexamples:\n  wtrace make\n");
	wt_buf_clear(&out);
	wt_help_command(&commands[1], &out);
	assert_string_equal(wt_buf_cstr(&out), "usage: wtrace none\n");
	wt_buf_deinit(&out);
}

static void so_is_the_man_page(void **state)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_buf out = {0};

	(void)state;
	assert_int_equal(
		wt_help_man(
			commands, 2,
			".SS make\n@options make\n@more json\nNot text.\n.B x\n@more from\nSee.\n@end\nend\n",
			&out, &err),
		0);
	assert_string_equal(
		wt_buf_cstr(&out),
		".SS make\n"
		".TP\n\\fB\\-o\\fR, \\fB\\-\\-output\\fR \\fIFILE\\fR\n"
		"Where it\\(aqs put; default: \\enowhere, the user\\(aqs choice.\n"
		".TP\n\\fB\\-\\-from\\fR \\fITIME\\fR\nOnly events from then on.\nSee.\n"
		".TP\n\\fB\\-\\-stackwalk\\fR[=\\fILIST\\fR]\nStacks.\n"
		".TP\n\\fB\\-\\-json\\fR\nOne JSON object.\nNot text.\n.B x\n"
		".TP\n\\fB\\-a\\fR, \\fB\\-\\-a\\-name\\-that\\-leaves\\-no\\-room\\fR \\fIVALUE\\fR\n"
		"Words that fill more than one line of the terminal, so that what is behind them stands "
		"below the first ones.\n"
		"end\n");
	wt_buf_deinit(&out);
}

static void refuse(const char *source, const char *text)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_buf out = {0};

	assert_int_equal(wt_help_man(commands, 2, source, &out, &err), -1);
	assert_string_equal(err.text, text);
	wt_buf_deinit(&out);
}

static void a_page_that_knows_other_options_is_refused(void **state)
{
	(void)state;
	refuse("text\n", "@options make stands nowhere");
	refuse("@options take\n@end\n", "@options take: there is no such command");
	refuse("@options make\n@more jso\nx\n@end\n", "@more jso: make has no such option");
	refuse("@options make\n@more json\nx\n", "an @options without its @end");
	refuse("@options make\n@options make\n@end\n", "an @options without its @end");
}

static void so_is_the_completion(void **state)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_buf out = {0};

	(void)state;
	assert_int_equal(wt_help_bash(commands, 2, "@commands\n@options\n@words\nend", &out, &err), 0);
	assert_non_null(strstr(wt_buf_cstr(&out), "_wtrace_commands='make none help'\n"));
	assert_non_null(strstr(wt_buf_cstr(&out),
			       "\tmake) printf '%s\\n' \\\n"
			       "\t\t'--output|-o|value|@files|where it'\\''s put; default: "));
	assert_non_null(strstr(wt_buf_cstr(&out), "\t\t'--from||value||only events from then on' \\\n"));
	assert_non_null(strstr(wt_buf_cstr(&out), "\t\t'--stackwalk||optional||stacks' \\\n"));
	assert_non_null(strstr(wt_buf_cstr(&out), "\t\t'--json||flag||one JSON object' \\\n"));
	assert_non_null(
		strstr(wt_buf_cstr(&out), "\tnone) ;;\n\t*) printf '%s\\n' \\\n\t\t'--quiet|-q|flag||no "));
	assert_non_null(strstr(wt_buf_cstr(&out), "\tmake) echo 'a b|@files' ;;\nend\n"));
	wt_buf_deinit(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(help_is_made_of_the_rows),
		cmocka_unit_test(so_is_the_man_page),
		cmocka_unit_test(a_page_that_knows_other_options_is_refused),
		cmocka_unit_test(so_is_the_completion),
	};

	return cmocka_run_group_tests_name("help", tests, NULL, NULL);
}
