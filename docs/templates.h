/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The man page and the completion of bash, made of their templates and of the rows that parsing uses. The
 * templates, docs/wtrace.1.in and docs/wtrace.bash.in, say at their top what may stand in them.
 */
#ifndef DOCS_TEMPLATES_H
#define DOCS_TEMPLATES_H

#include "tools/cmd.h"

/** The man page: the template with "@options COMMAND" replaced. Fails on a command or option that is not
 * there, and on a command whose options stand nowhere. */
int wt_help_man(const struct wt_command *commands, size_t n, const char *source, struct wt_buf *out,
		struct wt_err *err);
/** Completion for bash: the template with "@commands" and "@options" replaced. */
int wt_help_bash(const struct wt_command *commands, size_t n, const char *source, struct wt_buf *out,
		 struct wt_err *err);

#endif
