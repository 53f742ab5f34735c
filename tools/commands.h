/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The table of commands as the person at the terminal meets it: finding a word, printing what there is.
 */
#ifndef TOOLS_COMMANDS_H
#define TOOLS_COMMANDS_H

#include "tools/cmd.h"
#include "tracecore/base/buf.h"

/** The command called name. NULL with WT_ERR_USAGE: another tool's says what it is here, any other one names
 * the nearest command. */
const struct wt_command *wt_command_find(const char *name, struct wt_err *err);

/** The list of commands, the common options, the exit codes. */
void wt_commands_usage(struct wt_buf *out);

#endif
