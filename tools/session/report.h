/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What start, stop, record and status print of a session: for people on one hand, as JSON on the other.
 */
#ifndef TOOLS_SESSION_REPORT_H
#define TOOLS_SESSION_REPORT_H

#include <stdio.h>

#include "consumers/session/wire.h"

/** Which part of a session's life the text is about. */
enum wt_report_kind { WT_REPORT_STARTED, WT_REPORT_RUNNING, WT_REPORT_STOPPED };

void wt_report_text(FILE *out, const struct wt_status *status, enum wt_report_kind kind);
/** One JSON object and a newline. */
void wt_report_json(FILE *out, const struct wt_status *status, enum wt_report_kind kind);
/** Of a session that has ended: nobody ever registered some of the providers it asked for. WT_ERR_NOTFOUND
 * names them; 0 when there are none. */
int wt_report_absent(const struct wt_status *status, struct wt_err *err);

#endif
