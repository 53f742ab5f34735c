/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The restrictions of a session by --pid and --cpu, or to one command: as text, and checked.
 */
#ifndef CONSUMERS_SESSION_SCOPE_H
#define CONSUMERS_SESSION_SCOPE_H

#include "consumers/session/spec.h"

/** Adds "only processes 12,13 and what they start, only CPUs 0,2-3"; nothing where the session is not
 * restricted. */
void wt_scope_text(const struct wt_spec *spec, struct wt_buf *out);

/** Checks that the session's restrictions can hold for these rules of programs' providers: --pid and --cpu
 * are the kernel's; the filter of a program's provider restricts it to processes. WT_ERR_USAGE names the
 * option to use instead. */
int wt_scope_check(const struct wt_spec *spec, const struct wt_program_rule *rules, size_t n,
		   struct wt_err *err);

#endif
