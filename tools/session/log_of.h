/* SPDX-License-Identifier: MIT */
/** @file Where the log of a session that runs grows. */
#ifndef TOOLS_SESSION_LOG_OF_H
#define TOOLS_SESSION_LOG_OF_H

#include "tracecore/base/err.h"

/** The path of the session's log, with everything in it that was recorded until now; owned by the caller. */
int wt_session_log(const char *session, char **ret, struct wt_err *err);

#endif
