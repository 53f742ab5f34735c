/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The sums of a log's `lost` events: of segments that are still there, and, in a DROPPED block, of those that
 * were dropped (LOGFORMAT.md). A program that continues a log needs both. One thread.
 */
#ifndef TRACECORE_LOGFMT_READ_LOST_H
#define TRACECORE_LOGFMT_READ_LOST_H

#include "tracecore/base/buf.h"
#include "tracecore/base/cursor.h"
#include "tracecore/kernel_events.h"
#include "tracecore/logfmt/read/reader.h"

/** The most rings whose losses are kept apart. Beyond it the oldest ring is forgotten, and its losses are
 * added up without it: rings end with their programs, so there may be any number of them. */
enum { WT_LOG_LOST_RINGS = 4096 };

/** One row for each provider, event, CPU, ring, cause and exactness. count is the sum; from and to enclose
 * all of them. Zeroed: none. */
struct wt_log_lost {
	struct wt_lost_payload *rows; /**< owned, with their texts */
	uint32_t n, cap;
};

void wt_log_lost_deinit(struct wt_log_lost *lost);
/** Adds another list. -1: no memory. */
int wt_log_lost_add_all(struct wt_log_lost *lost, const struct wt_log_lost *more, struct wt_err *err);
/** Adds the readable `lost` events of segment i. -1: the file cannot be read, or no memory. */
int wt_log_lost_segment(struct wt_log_reader *log, uint32_t i, struct wt_log_lost *lost, struct wt_err *err);

/** Appends the rows as the end of a DROPPED block's payload; nothing when there are none. */
void wt_log_lost_put(const struct wt_log_lost *lost, struct wt_buf *out);
/** Reads the rows from there; *ret is zeroed before. 1: they are invalid. -1: no memory. */
int wt_log_lost_get(struct wt_cursor *payload, struct wt_log_lost *ret, struct wt_err *err);

#endif
