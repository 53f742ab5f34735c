/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What a session is restricted to by --pid and --cpu, or by recording one command: said in words, and
 * checked.
 */
#ifndef CONSUMERS_SESSION_SCOPE_H
#define CONSUMERS_SESSION_SCOPE_H

#include "consumers/session/spec.h"

/** Adds "only processes 12,13 and what they start, only CPUs 0,2-3"; nothing where the session is not
 * restricted. */
void wt_scope_text(const struct wt_spec *spec, struct wt_buf *out);

/** Whether what the session is restricted to holds for these rules of programs' providers, too: --pid and
 *  --cpu are the kernel's, a program's provider is restricted to processes by its own filter. WT_ERR_USAGE
 *  with what to say instead. */
int wt_scope_check(const struct wt_spec *spec, const struct wt_program_rule *rules, size_t n,
		   struct wt_err *err);

#endif
