/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What --help says of commands: texts with a place for the options, filled from the rows that parsing uses.
 * docs/templates.h makes the man page and the completion of the same rows.
 */
#ifndef TOOLS_HELP_H
#define TOOLS_HELP_H

#include "tools/cmd.h"

/** A line or more for each option: "  -x, --name ARGUMENT  help". */
void wt_help_options(const struct wt_option *options, struct wt_buf *out);
/** What `wtrace NAME --help` prints. */
void wt_help_command(const struct wt_command *command, struct wt_buf *out);

#endif
