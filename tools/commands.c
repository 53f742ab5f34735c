// SPDX-License-Identifier: MIT
#include "tools/commands.h"

#include <string.h>

#include "tracecore/base/nearest.h"

const struct wt_command wt_commands[] = {
	{"start", cmd_start, "start a session in the background", cmd_start_help},
	{"stop", cmd_stop, "end a session and complete its log", cmd_stop_help},
	{"record", cmd_record, "run a command and record while it runs", cmd_record_help},
	{"status", cmd_status, "show the running sessions: events, losses, cost", cmd_status_help},
	{"enable", cmd_enable, "change what a running session records of programs", cmd_enable_help},
	{"disable", cmd_disable, "record no more of a program's provider", cmd_disable_help},
	{"recover", cmd_recover, "make a complete log of what a dead session left", cmd_recover_help},
	{"view", cmd_view, "show where time went: events grouped by any keys", cmd_view_help},
	{"dump", cmd_dump, "print events in the order of time, all fields decoded", cmd_dump_help},
	{"info", cmd_info, "say what is in a log and what its bytes are spent on", cmd_info_help},
	{"verify", cmd_verify, "read every byte of a log and name what is damaged", cmd_verify_help},
	{"relog", cmd_relog, "make a log of some of the events of another", cmd_relog_help},
	{"merge", cmd_merge, "make one log of several of one machine", cmd_merge_help},
	{"export", cmd_export, "write a log's events for other tools: CTF, perf script, folded stacks",
	 cmd_export_help},
	{"mark", cmd_mark, "put a mark into every running session", cmd_mark_help},
	{"list", cmd_list, "show what can be enabled here: providers, events, sessions", cmd_list_help},
	{"doctor", cmd_doctor, "say what works here, what does not, and how to change it", cmd_doctor_help},
	{"manifest", cmd_manifest, "check, compare and compile manifests of providers", cmd_manifest_help},
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
	wt_buf_puts(out,
		    "\n"
		    "options of every command:\n"
		    "  -q, --quiet    no notes and no progress, only warnings and errors\n"
		    "  -v, --verbose  say more about what is done\n"
		    "  -h, --help     the command's options, with examples\n"
		    "\n"
		    "wtrace --version [--json] prints the version and what is built in.\n"
		    "\n"
		    "Results go to standard output, everything else to standard error.\n"
		    "Exit code: 0 done, 1 failed, 2 wrong usage, 3 data was lost and --strict was given.\n");
}
