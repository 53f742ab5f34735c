/* SPDX-License-Identifier: MIT */
/** @file A session's status as JSON. */
#ifndef CONSUMERS_SESSION_STATUS_JSON_H
#define CONSUMERS_SESSION_STATUS_JSON_H

#include "consumers/session/wire.h"

/** The part of a session's life that the text is about. */
enum wt_report_kind { WT_REPORT_STARTED, WT_REPORT_RUNNING, WT_REPORT_STOPPED };

/** Writes one JSON object and a newline. */
void wt_status_json(const struct wt_status *status, enum wt_report_kind kind, struct wt_buf *out);
/** Returns in words why events were lost; cause: enum wt_loss_cause. */
const char *wt_status_cause(uint8_t cause);

#endif
