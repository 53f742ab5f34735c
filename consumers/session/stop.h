/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Stopping a session from a command: what `stop` and `record` share.
 */
#ifndef CONSUMERS_SESSION_STOP_H
#define CONSUMERS_SESSION_STOP_H

#include "consumers/session/deliver.h"
#include "consumers/session/session.h"

/** Checks the target, stops the live session, brings the log to output (NULL: where the session was to put
 * it, else it stays in the spool). *ret is the final status; its spool is where the log is now. When the
 * target cannot be written the session is not stopped. A log that could be stopped but not delivered is kept,
 * and the error says where. */
int wt_stop_session(const struct wt_place *place, const char *output, enum wt_replace replace,
		    struct wt_status *ret, struct wt_err *err);

#endif
