// SPDX-License-Identifier: MIT
#include "tools/commands.h"

#include <string.h>

#include "tools/help.h"
#include "tools/peers.h"
#include "tools/workload.h"
#include "tracecore/base/nearest.h"

/* What a command is made of, by its name. */
#define OF(command)                                                           \
	.name = #command, .run = cmd_##command, .help = cmd_##command##_help, \
	.options = cmd_##command##_options

const struct wt_command wt_commands[] = {
	{OF(start), .line = "start a session in the background"},
	{OF(stop), .line = "end a session and complete its log"},
	{OF(record), .line = "run a command and record while it runs", .runs = true},
	{OF(status), .line = "show the running sessions: events, losses, cost"},
	{OF(enable), .line = "change what a running session records of programs"},
	{OF(disable), .line = "record no more of a program's provider", .words = "@registered|@registered"},
	{OF(recover), .line = "make a complete log of what a dead session left", .words = "@files|@files"},
	{OF(view), .line = "show where time went: events grouped by any keys", .words = "@files|@files"},
	{OF(dump), .line = "print events sorted by time, all fields decoded", .words = "@files|@files"},
	{OF(info), .line = "say what is in a log and what its bytes are spent on", .words = "@files|@files"},
	{OF(verify), .line = "read every byte of a log and name what is damaged", .words = "@files|@files"},
	{OF(relog), .line = "make a log of some of the events of another", .words = "@files|@files"},
	{OF(merge), .line = "make one log of several of one machine", .words = "@files|@files"},
	{OF(export), .line = "write a log's events for other tools: CTF, perf script, folded stacks",
	 .words = "@files|@files"},
	{OF(mark), .line = "put a mark into every running session"},
	{OF(list), .line = "show what can be enabled here: providers, events, sessions",
	 .words = "providers events sessions"},
	{OF(doctor), .line = "say what works here, what does not, and how to change it"},
	{OF(manifest), .line = "check, compare and compile manifests of providers",
	 .words = "check header diff|@files"},
};
const size_t wt_n_commands = sizeof(wt_commands) / sizeof(wt_commands[0]);

enum { MAX_COMMANDS = 32 };

static int fail_unknown_command(const char *name, struct wt_err *err)
{
	const char *names[MAX_COMMANDS + 1];
	size_t n = 0;

	if (wt_peers_command(name, err))
		return -1;
	for (size_t i = 0; i < wt_n_commands && n < MAX_COMMANDS; i++)
		names[n++] = wt_commands[i].name;
	names[n++] = "help";
	if (!wt_nearest(name, names, n) && !wt_workload_find(name, NULL))
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
