// SPDX-License-Identifier: MIT
#include "tools/commands.h"

#include <string.h>

#include "tools/help.h"
#include "tracecore/base/nearest.h"

/* What a command is made of, by its name. */
#define ROW(name, line, words)                                                          \
	{                                                                               \
#name, cmd_##name, line, cmd_##name##_help, cmd_##name##_options, words \
	}

const struct wt_command wt_commands[] = {
	ROW(start, "start a session in the background", NULL),
	ROW(stop, "end a session and complete its log", NULL),
	ROW(record, "run a command and record while it runs", NULL),
	ROW(status, "show the running sessions: events, losses, cost", NULL),
	ROW(enable, "change what a running session records of programs", NULL),
	ROW(disable, "record no more of a program's provider", "@registered|@registered"),
	ROW(recover, "make a complete log of what a dead session left", "@files|@files"),
	ROW(view, "show where time went: events grouped by any keys", "@files|@files"),
	ROW(dump, "print events in the order of time, all fields decoded", "@files|@files"),
	ROW(info, "say what is in a log and what its bytes are spent on", "@files|@files"),
	ROW(verify, "read every byte of a log and name what is damaged", "@files|@files"),
	ROW(relog, "make a log of some of the events of another", "@files|@files"),
	ROW(merge, "make one log of several of one machine", "@files|@files"),
	ROW(export, "write a log's events for other tools: CTF, perf script, folded stacks", "@files|@files"),
	ROW(mark, "put a mark into every running session", NULL),
	ROW(list, "show what can be enabled here: providers, events, sessions", "providers events sessions"),
	ROW(doctor, "say what works here, what does not, and how to change it", NULL),
	ROW(manifest, "check, compare and compile manifests of providers", "check header diff|@files"),
};
const size_t wt_n_commands = sizeof(wt_commands) / sizeof(wt_commands[0]);

const char *const wt_reserved_words[] = {"stat",     "sample", "test",   "man",   "annotate",    "live",
					 "snapshot", "pause",  "import", "waits", "disassemble", "detect"};
const size_t wt_n_reserved_words = sizeof(wt_reserved_words) / sizeof(wt_reserved_words[0]);

/* What perf, LTTng and xperf call what is here. */
static const struct {
	const char *theirs, *here;
} elsewhere[] = {
	{"report", "view"},  {"script", "dump"},  {"evlist", "info"},
	{"inject", "relog"}, {"create", "start"}, {"destroy", "stop"},
};

enum { MAX_COMMANDS = 32 };

static int fail_unknown_command(const char *name, struct wt_err *err)
{
	const char *names[MAX_COMMANDS + 1];
	size_t n = 0;

	for (size_t i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++)
		if (!strcmp(name, elsewhere[i].theirs))
			return wt_fail(err, WT_ERR_USAGE, "unknown command '%s'; here it is 'wtrace %s'",
				       name, elsewhere[i].here);
	for (size_t i = 0; i < wt_n_commands && n < MAX_COMMANDS; i++)
		names[n++] = wt_commands[i].name;
	names[n++] = "help";
	return wt_fail_unknown(err, "command", name, names, n);
}

const struct wt_command *wt_command_find(const char *name, struct wt_err *err)
{
	for (size_t i = 0; i < wt_n_commands; i++) {
		if (!strcmp(name, wt_commands[i].name))
			return &wt_commands[i];
	}
	for (size_t i = 0; i < wt_n_reserved_words; i++) {
		if (!strcmp(name, wt_reserved_words[i])) {
			wt_fail(err, WT_ERR_USAGE,
				"'%s' is not in this version; see 'wtrace help' for what is", name);
			return NULL;
		}
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
