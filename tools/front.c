// SPDX-License-Identifier: MIT
#include "tools/front.h"

#include <stdio.h>
#include <string.h>

#include "tools/help.h"
#include "tools/version.h"
#include "tracecore/base/nearest.h"

static bool is(const char *arg, const char *letter, const char *name)
{
	return !strcmp(arg, letter) || !strcmp(arg, name);
}

/* Takes one of the words that every command has. */
static bool take(struct wt_front *front, const char *word)
{
	if (is(word, "-q", "--quiet"))
		front->level = WT_DIAG_QUIET;
	else if (is(word, "-v", "--verbose"))
		front->level = WT_DIAG_VERBOSE;
	else if (is(word, "-h", "--help"))
		front->help = true;
	else
		return false;
	return true;
}

void wt_front_take(struct wt_front *front, int *argc, char **argv)
{
	const struct wt_command *command = NULL;
	int kept = 1, i = 1;

	front->level = WT_DIAG_NORMAL;
	for (; i < *argc && strcmp(argv[i], "--"); i++) {
		if (take(front, argv[i]))
			continue;
		if (command && command->runs && argv[i][0] != '-')
			break;
		if (!command)
			command = wt_command_named(argv[i]);
		else if (wt_options_takes(command->options, argv[i]) == 2 && i + 1 < *argc)
			argv[kept++] = argv[i++];
		argv[kept++] = argv[i];
	}
	while (i < *argc)
		argv[kept++] = argv[i++];
	if (kept < *argc) {
		argv[kept] = NULL;
		*argc = kept;
	}
}

static int print(struct wt_buf *buf, FILE *stream, struct wt_err *err)
{
	int rc = buf->failed ? wt_fail_nomem(err) : 0;

	if (!rc)
		fwrite(buf->data, 1, buf->len, stream);
	wt_buf_deinit(buf);
	return rc ? WT_EXIT_FAILED : WT_EXIT_OK;
}

static int print_usage(FILE *stream, struct wt_err *err)
{
	struct wt_buf buf = {0};

	wt_commands_usage(&buf);
	return print(&buf, stream, err);
}

static int run_version(const struct wt_front *front, int argc, char **argv, struct wt_err *err)
{
	struct wt_buf buf = {0};

	if (argc > 2 && (argc > 3 || strcmp(argv[2], "--json")))
		return wt_fail(err, WT_ERR_USAGE, "after --version only --json is understood, not '%s'",
			       argv[argc - 1]);
	if (argc > 2)
		wt_version_json(&buf);
	else if (front->level == WT_DIAG_VERBOSE)
		wt_version_table(&buf);
	else
		wt_version_text(&buf);
	return print(&buf, stdout, err);
}

static int print_help_of(struct wt_front *front, const char *name, struct wt_err *err)
{
	struct wt_buf text = {0};

	front->command = wt_command_find(name, err);
	if (!front->command)
		return -1;
	wt_help_command(front->command, &text);
	return print(&text, stdout, err);
}

static int run_help(struct wt_front *front, int argc, char **argv, struct wt_err *err)
{
	if (argc == 2)
		return print_usage(stdout, err);
	if (argc > 3)
		return wt_fail(err, WT_ERR_USAGE, "help takes one command, not also '%s'", argv[3]);
	return print_help_of(front, argv[2], err);
}

/* The command that the word is with dashes before it, as in --man; NULL: none. */
static const struct wt_command *dashed(const char *word)
{
	return wt_command_named(word + strspn(word, "-"));
}

/* The option of a command may stand before it in other tools. */
static int fail_unknown_option(const char *word, char **rest, struct wt_err *err)
{
	static const char *const known[] = {"--version", "--help", "--quiet", "--verbose"};

	if (dashed(word))
		return wt_fail(err, WT_ERR_USAGE, "'%.80s' is a command, without dashes: wtrace %s", word,
			       dashed(word)->name);
	for (; *rest; rest++) {
		const struct wt_command *command = wt_command_named(*rest);

		if (command && wt_options_takes(command->options, word))
			return wt_fail(err, WT_ERR_USAGE,
				       "'%.80s' stands behind the command: wtrace %s %.80s", word,
				       command->name, word);
	}
	return wt_fail_unknown(err, "option", word, known, sizeof(known) / sizeof(known[0]));
}

static int dispatch(struct wt_front *front, int argc, char **argv, struct wt_err *err)
{
	if (argc < 2 && front->help)
		return print_usage(stdout, err);
	if (argc < 2) {
		print_usage(stderr, err);
		return WT_EXIT_USAGE;
	}
	if (is(argv[1], "-V", "--version"))
		return run_version(front, argc, argv, err);
	if (argv[1][0] == '-')
		return fail_unknown_option(argv[1], argv + 2, err);
	if (!strcmp(argv[1], "help"))
		return run_help(front, argc, argv, err);
	if (front->help)
		return print_help_of(front, argv[1], err);
	front->command = wt_command_find(argv[1], err);
	return front->command ? front->command->run(argc - 1, argv + 1, err) : -1;
}

int wt_front_run(struct wt_front *front, int argc, char **argv, struct wt_err *err)
{
	int code = dispatch(front, argc, argv, err);

	if (code != WT_EXIT_OK && err->code == WT_ERR_USAGE)
		return WT_EXIT_USAGE;
	return code < 0 ? WT_EXIT_FAILED : code;
}
