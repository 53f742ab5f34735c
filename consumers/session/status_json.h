/* SPDX-License-Identifier: MIT */
/** @file A session's status, and what was recovered of a dead one, as JSON. */
#ifndef CONSUMERS_SESSION_STATUS_JSON_H
#define CONSUMERS_SESSION_STATUS_JSON_H

#include "consumers/session/recover.h"
#include "consumers/session/wire.h"
#include "tracecore/base/json.h"

/** The part of a session's life that the text is about. */
enum wt_report_kind { WT_REPORT_STARTED, WT_REPORT_RUNNING, WT_REPORT_STOPPED };

/** Writes one JSON object and a newline. */
void wt_status_json(const struct wt_status *status, enum wt_report_kind kind, struct wt_buf *out);
/** An object with the members that a list shows: "session", "worker", "keeper", "elapsed_ns", "events",
 * "lost", "log". */
void wt_status_brief_json(const struct wt_status *status, struct wt_json *json);
/** Writes one JSON object and a newline; file: the log. */
void wt_recovered_json(const struct wt_recovered *recovered, const char *file, struct wt_buf *out);
/** The file that the log is, or will be when the session stops. */
const char *wt_status_log(const struct wt_status *status);
/** Returns in words why events were lost; cause: enum wt_loss_cause. */
const char *wt_status_cause(uint8_t cause);

#endif
