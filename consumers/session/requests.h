/* SPDX-License-Identifier: MIT */
/** @file What commands ask of a session that runs. Each request is done when its function returns 0. */
#ifndef CONSUMERS_SESSION_REQUESTS_H
#define CONSUMERS_SESSION_REQUESTS_H

#include "consumers/session/session.h"

/** The place of a session that runs; name NULL: the default one. WT_ERR_NOTFOUND says what there is instead.
 * Undo with wt_place_close. */
int wt_session_find(const char *name, struct wt_place *ret, struct wt_err *err);

/** A mark, at this moment. The text has at most UINT16_MAX bytes. */
int wt_session_mark(const struct wt_place *place, const char *text, struct wt_err *err);
/** These rules come to what is recorded of programs, each in the place of its provider's old one. */
int wt_session_enable(const struct wt_place *place, const struct wt_program_rule *rules, size_t n,
		      struct wt_err *err);
/** No more is recorded of the provider. */
int wt_session_disable(const struct wt_place *place, const char *provider, struct wt_err *err);
/** The path of the session's log, with everything in it that was recorded until now; owned by the caller. */
int wt_session_log(const char *name, char **ret, struct wt_err *err);

#endif
