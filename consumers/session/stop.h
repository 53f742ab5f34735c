/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Stops a session from a command: shared by `stop` and `record`.
 */
#ifndef CONSUMERS_SESSION_STOP_H
#define CONSUMERS_SESSION_STOP_H

#include "consumers/session/deliver.h"
#include "consumers/session/session.h"

/** Checks the target, stops the live session, and moves the log to output (NULL: to the session's own target,
 * if any; otherwise it stays in the spool). *ret is the final status; its spool is the log's path. When the
 * target cannot be written, the session is not stopped. When the session was stopped but the log could not
 * be delivered, the log is kept, and the error says where. */
int wt_stop_session(const struct wt_place *place, const char *output, enum wt_replace replace,
		    struct wt_status *ret, struct wt_err *err);
/** Stops the session of that name, which the caller started; no file is replaced. An output of "" leaves the
 * log in the spool. */
int wt_stop_named(const char *session, const char *output, struct wt_status *ret, struct wt_err *err);

#endif
