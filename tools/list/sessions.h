/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The caller's running sessions, for `list`: one line or one object each.
 */
#ifndef TOOLS_LIST_SESSIONS_H
#define TOOLS_LIST_SESSIONS_H

#include <stdbool.h>

#include "tracecore/base/buf.h"
#include "tracecore/base/err.h"

/** Lists the sessions with word in their names (NULL: all). WT_ERR_NOTFOUND when a word was given and no
 * session matches. */
int wt_list_sessions(const char *word, struct wt_buf *out, struct wt_err *err);
/** {"sessions": [{"session", "worker", "keeper", "elapsed_ns", "events", "lost", "log"}]} */
int wt_list_sessions_json(const char *word, struct wt_buf *out, struct wt_err *err);

#endif
