/* SPDX-License-Identifier: MIT */
/** The options of `start` and `record` that define what a session records. One thread. */
#ifndef TOOLS_SESSION_SPEC_OPTIONS_H
#define TOOLS_SESSION_SPEC_OPTIONS_H

#include "consumers/session/spec_take.h"
#include "tools/cmd.h"

/** The option table that start and record share; ctx of wt_options_parse is the struct wt_spec. */
extern const struct wt_option wt_spec_options[];
/** Functions shared with the rows of other commands: for -p, and for a word of -e. */
int wt_spec_set_providers(void *ctx, const struct wt_option *option, const char *value, struct wt_err *err);
int wt_spec_add_event(void *ctx, char *word, struct wt_err *err);

#endif
