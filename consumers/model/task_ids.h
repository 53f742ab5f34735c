/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Numbers threads by identity over all segments of a log: one number for one thread (tid and start time, or
 * tid and name where the start time is unknown), in any order of queries. Single-threaded.
 */
#ifndef CONSUMERS_MODEL_TASK_IDS_H
#define CONSUMERS_MODEL_TASK_IDS_H

#include "tracecore/base/intern.h"
#include "tracecore/logfmt/read/reader.h"

/** Zeroed is empty. */
struct wt_task_ids {
	struct wt_intern keys; /**< wt_view_identity_key */
	struct wt_strings names;
	struct wt_task_ids_segment {
		const struct wt_log_thread *threads; /**< of the segment */
		uint32_t *ids;                       /**< by row of it; owned */
	} * segments;
	uint32_t n, last;
};

/** Returns the numbers by row of the segment's threads; valid until the next call. NULL when memory is out.
 */
const uint32_t *wt_task_ids(struct wt_task_ids *tasks, const struct wt_log_segment *segment);
void wt_task_ids_deinit(struct wt_task_ids *tasks);

#endif
