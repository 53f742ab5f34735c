// SPDX-License-Identifier: MIT
/* The table of all commands (cmd.h), in the order of the list for people. */
#include <string.h>

#include "tools/cmd.h"

/* Makes the row of a command from its name. */
#define OF(command)                                                           \
	.name = #command, .run = cmd_##command, .help = cmd_##command##_help, \
	.options = cmd_##command##_options

const struct wt_command wt_commands[] = {
	{OF(start), .line = "start a session in the background"},
	{OF(stop), .line = "end a session and complete its log"},
	{OF(record), .line = "run a command and record while it runs", .runs = true},
	{OF(sample), .line = "sample running processes or the machine: a table, no log"},
	{OF(stat), .line = "count events: of a command, CPUs, processes, threads", .runs = true},
	{OF(status), .line = "show the running sessions: events, losses, cost"},
	{OF(enable), .line = "change what a running session records of programs"},
	{OF(disable), .line = "stop recording a program's provider", .words = "@registered|@registered"},
	{OF(recover), .line = "make a complete log after a session died", .words = "@files|@files"},
	{OF(view), .line = "show where time went: events grouped by any keys", .words = "@files|@files"},
	{OF(pause), .line = "show why a thread did not run: the path of a wait, and who is to blame",
	 .words = "@files|@files"},
	{OF(annotate), .line = "show source lines and instructions with their hits",
	 .words = "@files|@files"},
	{OF(dump), .line = "print events sorted by time, all fields decoded", .words = "@files|@files"},
	{OF(info), .line = "show the contents of a log and how many bytes each part takes",
	 .words = "@files|@files"},
	{OF(verify), .line = "read every byte of a log and name damaged places", .words = "@files|@files"},
	{OF(relog), .line = "copy some events of a log to another log", .words = "@files|@files"},
	{OF(merge), .line = "make one log of several logs of one machine", .words = "@files|@files"},
	{OF(export), .line = "write a log's events for other tools: CTF, perf script, folded stacks",
	 .words = "@files|@files"},
	{OF(mark), .line = "put a mark into every running session"},
	{OF(list), .line = "list providers, events, metrics, sessions",
	 .words = "providers events metrics sessions"},
	{OF(man), .line = "explain an event, a metric, a provider, a field"},
	{OF(test), .line = "show the PMU's configuration, and the order of events"},
	{OF(detect), .line = "show the PMUs of this machine and the ways to trace"},
	{OF(cpuinfo), .line = "show each CPU's model, and where its events and metrics come from"},
	{OF(cmninfo), .line = "show the machine's mesh networks (Arm CMN)"},
	{OF(doctor), .line = "show what works here, what does not, and how to change it"},
	{OF(manifest), .line = "check, compare and compile manifests of providers",
	 .words = "check header diff|@files"},
};
const size_t wt_n_commands = sizeof(wt_commands) / sizeof(wt_commands[0]);

const struct wt_command *wt_command_named(const char *name)
{
	for (size_t i = 0; i < wt_n_commands; i++)
		if (!strcmp(name, wt_commands[i].name))
			return &wt_commands[i];
	return NULL;
}
