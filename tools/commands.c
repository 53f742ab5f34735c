// SPDX-License-Identifier: MIT
#include "tools/commands.h"

#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/help.h"
#include "tools/peers.h"
#include "consumers/session/workload.h"
#include "tracecore/base/nearest.h"

enum { MAX_COMMANDS = 32 };

/* No command has a dot or a slash in its name. */
static bool is_path(const char *name)
{
	return strpbrk(name, "./") != NULL;
}

static int fail_path(const char *name, struct wt_err *err)
{
	struct stat st;

	if (stat(name, &st))
		return wt_fail(err, WT_ERR_USAGE,
			       "there is no file '%s', and it is no command; a log is read by: wtrace view "
			       "LOG, a program recorded by: wtrace record -o FILE -- PROGRAM",
			       name);
	if (S_ISDIR(st.st_mode))
		return wt_fail(
			err, WT_ERR_USAGE,
			"'%s' is a directory, not a command; a log of wtrace is a file: wtrace view LOG",
			name);
	if (st.st_mode & 0111)
		return wt_fail(
			err, WT_ERR_USAGE,
			"'%s' is a program, not a command; to record it: wtrace record -o FILE -- '%s'", name,
			name);
	return wt_fail(
		err, WT_ERR_USAGE,
		"'%s' is a file, not a command; a log is read by: wtrace view '%s', or wtrace dump '%s'",
		name, name, name);
}

static int fail_unknown_command(const char *name, struct wt_err *err)
{
	const char *names[MAX_COMMANDS + 1];
	size_t n = 0;

	if (wt_peers_command(name, err))
		return -1;
	if (is_path(name))
		return fail_path(name, err);
	for (size_t i = 0; i < wt_n_commands && n < MAX_COMMANDS; i++)
		names[n++] = wt_commands[i].name;
	names[n++] = "help";
	if (!wt_nearest(name, names, n) && !wt_workload_find(name, NULL, NULL))
		return wt_fail(
			err, WT_ERR_USAGE,
			"'%s' is no command of this program; to record it: wtrace record -o FILE -- %s", name,
			name);
	return wt_fail_unknown(err, "command", name, names, n);
}

const struct wt_command *wt_command_find(const char *name, struct wt_err *err)
{
	const struct wt_command *command = wt_command_named(name);

	if (!command)
		fail_unknown_command(name, err);
	return command;
}

void wt_commands_usage(struct wt_buf *out)
{
	wt_buf_puts(out, "wtrace records what a Linux machine does and shows where its time goes.\n"
			 "\n"
			 "usage: wtrace COMMAND [OPTION]...\n"
			 "\n"
			 "commands:\n");
	for (size_t i = 0; i < wt_n_commands; i++)
		wt_buf_printf(out, "  %-9s %s\n", wt_commands[i].name, wt_commands[i].line);
	wt_buf_puts(out, "\n"
			 "options of every command:\n");
	wt_help_options(wt_options_common, out);
	wt_buf_puts(out,
		    "\nwtrace --version [--json] prints the version and the built-in features.\n\nResults go "
		    "to standard output, everything else to standard error.\nExit code: 0 done, 1 failed, 2 "
		    "wrong usage, 3 data was lost and --strict was given.\n");
}
