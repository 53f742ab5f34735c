/* SPDX-License-Identifier: MIT */
/** Requests of commands to a running session. Each request is done when its function returns 0. */
#ifndef CONSUMERS_SESSION_REQUESTS_H
#define CONSUMERS_SESSION_REQUESTS_H

#include "consumers/session/session.h"
#include "tracecore/base/file_watch.h"
#include "tracecore/logfmt/format/tables.h"

/** Finds the place of a running session; name NULL: the default one. WT_ERR_NOTFOUND names what exists
 * instead. Undo with wt_place_close. */
int wt_session_find(const char *name, struct wt_place *ret, struct wt_err *err);

/** Makes a mark at this moment. The text has at most UINT16_MAX bytes. */
int wt_session_mark(const struct wt_place *place, const char *text, struct wt_err *err);
/** Adds these rules for programs, each replacing the old rule of its provider. */
int wt_session_enable(const struct wt_place *place, const struct wt_program_rule *rules, size_t n,
		      struct wt_err *err);
/** Stops recording the provider. */
int wt_session_disable(const struct wt_place *place, const char *provider, struct wt_err *err);
/** Returns the path of the session's log with everything recorded until now in it; owned by the caller. */
int wt_session_log(const char *name, char **ret, struct wt_err *err);
/** What the running session of that name knows of the image's file: a wt_symbols_watched_fn. */
enum wt_file_written wt_session_written(void *name, const struct wt_log_image *image, bool apart);

#endif
