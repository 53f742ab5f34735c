/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The events of one kind that wait for the next flush, in columns.
 */
#ifndef TRACECORE_LOGFMT_WRITE_PENDING_H
#define TRACECORE_LOGFMT_WRITE_PENDING_H

#include "tracecore/source.h"
#include "tracecore/logfmt/format/cols.h"
#include "tracecore/logfmt/format/layout.h"

/** The pending events of one kind. Events of runs are kept separately for each CPU, because they come in
 * order and are alike. */
struct wt_log_pending {
	struct wt_log_pending *next; /**< owned; another CPU's events of this kind */
	uint32_t cpu;                /**< of the members after the first of the list */
	struct wt_log_cols cols;
	struct wt_log_field_layout *layouts; /**< owned; one per field; NULL until the first event */
	uint32_t flat;                       /**< bytes of every payload, when all fields are words;
					      * otherwise 0 */
	uint64_t last_time;
	uint32_t lost; /**< dropped since the last block of this kind was written */
	bool unsorted; /**< times went back */
	bool has_ids;  /**< an event had an activity id: the last two columns are for the ids */
};

void wt_log_pending_deinit(struct wt_log_pending *pending);

/** Appends an event. WT_ERR_FORMAT when the payload does not follow the kind's schema exactly. */
int wt_log_pending_add(struct wt_log_pending *pending, const struct wt_kind *kind,
		       const struct wt_event *event, uint32_t thread, uint32_t stack, struct wt_err *err);

/** Appends events from the start of the run, which must all be of this kind, to the list's member for the
 * run's CPU. Returns their number. 0: the first one was refused; err has the reason. */
uint32_t wt_log_pending_add_run(struct wt_log_pending *pending, const struct wt_kind *kind,
				const struct wt_run *run, uint32_t thread, uint32_t flags,
				struct wt_err *err);

/** Adds the events of a strip of this kind, as wt_log_pending_add_run. */
uint32_t wt_log_pending_add_strip(struct wt_log_pending *pending, const struct wt_kind *kind,
				  const struct wt_strip *strip, uint32_t thread, uint32_t flags,
				  struct wt_err *err);

/** Brings the events into time order. */
int wt_log_pending_sort(struct wt_log_pending *pending, struct wt_err *err);
/** Drops the pending events. */
void wt_log_pending_clear(struct wt_log_pending *pending);

#endif
