/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What --help, the man page and completion say of commands: texts with a place for the options, filled from
 * the rows that parsing uses. The man page and completion are made of templates, docs/wtrace.1.in and
 * docs/wtrace.bash.in, which say at their top what may stand in them.
 */
#ifndef TOOLS_HELP_H
#define TOOLS_HELP_H

#include "tools/cmd.h"

/** A line or more for each option: "  -x, --name ARGUMENT  help". */
void wt_help_options(const struct wt_option *options, struct wt_buf *out);
/** What `wtrace NAME --help` prints. */
void wt_help_command(const struct wt_command *command, struct wt_buf *out);

/** The man page: the template with "@options COMMAND" replaced. Fails on a command or option that is not
 * there, and on a command whose options stand nowhere. */
int wt_help_man(const struct wt_command *commands, size_t n, const char *source, struct wt_buf *out,
		struct wt_err *err);
/** Completion for bash: the template with "@commands" and "@options" replaced. */
int wt_help_bash(const struct wt_command *commands, size_t n, const char *source, struct wt_buf *out,
		 struct wt_err *err);

#endif
