/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Threads by identity over all segments of a log: the same number for the same thread (tid and start time,
 * or, where that is not known, tid and name), whatever is asked first. Single-threaded.
 */
#ifndef CONSUMERS_ANALYSIS_TASK_IDS_H
#define CONSUMERS_ANALYSIS_TASK_IDS_H

#include "tracecore/base/intern.h"
#include "tracecore/logfmt/read/reader.h"

/** Zeroed is empty. */
struct wt_task_ids {
	struct wt_intern keys; /**< (tid, start time), or (tid, name | 2^63) */
	struct wt_strings names;
	struct wt_task_ids_segment {
		const struct wt_log_thread *threads; /**< of the segment */
		uint32_t *ids;                       /**< by row of it; owned */
	} * segments;
	uint32_t n, last;
};

/** Numbers by row of the segment's threads; valid until the next call. NULL when memory is out. */
const uint32_t *wt_task_ids(struct wt_task_ids *tasks, const struct wt_log_segment *segment);
void wt_task_ids_deinit(struct wt_task_ids *tasks);

#endif
