// SPDX-License-Identifier: MIT
#include "tools/commands.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "tools/help.h"
#include "tools/peers.h"
#include "consumers/session/workload.h"
#include "tracecore/base/nearest.h"

enum { MAX_COMMANDS = 32 };

/* No command has a dot or a slash in its name. */
static bool is_file(const char *name)
{
	return strpbrk(name, "./") && !access(name, F_OK);
}

static int fail_unknown_command(const char *name, struct wt_err *err)
{
	const char *names[MAX_COMMANDS + 1];
	size_t n = 0;

	if (wt_peers_command(name, err))
		return -1;
	if (is_file(name))
		return wt_fail(err, WT_ERR_USAGE,
			       "'%s' is a file, not a command; a log is read by: wtrace view '%s', or wtrace "
			       "dump '%s'",
			       name, name, name);
	for (size_t i = 0; i < wt_n_commands && n < MAX_COMMANDS; i++)
		names[n++] = wt_commands[i].name;
	names[n++] = "help";
	if (!wt_nearest(name, names, n) && !wt_workload_find(name, NULL, NULL))
		return wt_fail(err, WT_ERR_USAGE,
			       "'%s' is no command of this program; to record what it does: wtrace record "
			       "-o FILE -- %s",
			       name, name);
	return wt_fail_unknown(err, "command", name, names, n);
}

const struct wt_command *wt_command_find(const char *name, struct wt_err *err)
{
	for (size_t i = 0; i < wt_n_commands; i++) {
		if (!strcmp(name, wt_commands[i].name))
			return &wt_commands[i];
	}
	fail_unknown_command(name, err);
	return NULL;
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
		    "\n"
		    "wtrace --version [--json] prints the version and what is built in.\n"
		    "\n"
		    "Results go to standard output, everything else to standard error.\n"
		    "Exit code: 0 done, 1 failed, 2 wrong usage, 3 data was lost and --strict was given.\n");
}
