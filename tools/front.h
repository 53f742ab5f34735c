/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The front of the command line: finds the command and handles the options common to all.
 */
#ifndef TOOLS_FRONT_H
#define TOOLS_FRONT_H

#include "tools/commands.h"
#include "tracecore/base/diag.h"

struct wt_front {
	enum wt_diag_level level;
	bool help;
	const struct wt_command *command; /**< once found; names the command in errors */
};

/** Takes -q, -v, -h and their long forms out of argv, up to a "--" or to the command that `record` runs,
 * because the words there belong to that command. argv[*argc] is NULL afterwards. */
void wt_front_take(struct wt_front *front, int *argc, char **argv);

/** Runs the request in argv (without the common options): a command, its help, the list, the version. Returns
 * the exit code; a usage error is always WT_EXIT_USAGE. */
int wt_front_run(struct wt_front *front, int argc, char **argv, struct wt_err *err);

#endif
