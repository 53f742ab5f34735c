/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The reports of start, stop, record and status about a session: for people, or as JSON.
 */
#ifndef TOOLS_SESSION_REPORT_H
#define TOOLS_SESSION_REPORT_H

#include <stdio.h>

#include "consumers/session/status_json.h"

/** Prints a text, or one JSON object and a newline. */
void wt_report(FILE *out, const struct wt_status *status, enum wt_report_kind kind, bool as_json);
/** Checks an ended session for requested providers that no program registered. WT_ERR_NOTFOUND names them; 0
 * when there are none. */
int wt_report_absent(const struct wt_status *status, struct wt_err *err);

#endif
