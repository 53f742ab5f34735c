/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The table of commands for people at a terminal: finds a command by its word, prints the list.
 */
#ifndef TOOLS_COMMANDS_H
#define TOOLS_COMMANDS_H

#include "tools/cmd.h"
#include "tracecore/base/buf.h"

/** Returns the command called name. NULL with WT_ERR_USAGE: for another tool's command the error gives the
 * equivalent here, otherwise the nearest command. */
const struct wt_command *wt_command_find(const char *name, struct wt_err *err);

/** Writes the list of commands, the common options, the exit codes. */
void wt_commands_usage(struct wt_buf *out);

#endif
