/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The text of --help for commands: templates with a place for the options, filled from the rows that parsing
 * uses. docs/templates.h makes the man page and the completion from these rows.
 */
#ifndef TOOLS_HELP_H
#define TOOLS_HELP_H

#include "tools/cmd.h"

/** Writes one or more lines for each option: "  -x, --name ARGUMENT  help". */
void wt_help_options(const struct wt_option *options, struct wt_buf *out);
/** Writes the output of `wtrace NAME --help`. */
void wt_help_command(const struct wt_command *command, struct wt_buf *out);

#endif
