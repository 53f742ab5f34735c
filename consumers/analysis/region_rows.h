/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The regions of a log as events, in one pass over the events that begin and end them.
 *
 * Batches come as regions end (sorted within a batch by their beginnings), and at last the regions that
 * never ended. Memory is that of the open regions, of one batch, and of the iterator. A region is in doubt
 * when an event that belongs to it may be missing (region_losses.h), or when the order of two of its events
 * at one time is not known.
 */
#ifndef CONSUMERS_ANALYSIS_REGION_ROWS_H
#define CONSUMERS_ANALYSIS_REGION_ROWS_H

#include "consumers/analysis/region_batch.h"
#include "consumers/analysis/region_kinds.h"
#include "consumers/analysis/region_losses.h"
#include "consumers/model/task_ids.h"

/** Numbers of regions. */
struct wt_region_counts {
	uint64_t all, unfinished, unbegun, overlapping, doubtful;
	uint64_t most_open;
};

struct wt_region_rows {
	struct wt_view_file *file; /**< borrowed */
	struct wt_region_kinds kinds;
	struct wt_region_losses losses;
	struct wt_task_ids tasks;
	struct wt_strings names; /**< of regions */

	/* what is wanted; to be set after init */
	uint64_t from, to; /**< only regions that began then; to 0: no end */
	/** NULL: all fields. As wt_log_filter.need, of shadows and their kinds. */
	void (*need)(void *ctx, const struct wt_log_segment *segment, uint32_t kind, struct wt_log_need *ret);
	void *need_ctx;
	uint32_t most; /**< regions of a batch; 0: a good number */
	struct wt_listener listener;

	/* during fn */
	const struct wt_region_extent *extents; /**< by event of the batch; threads are those of tasks */

	/* after a scan */
	struct wt_region_counts counts;
};

/** Takes over a view of a log to which nothing has been asked yet: its segments get kinds for regions.
 * -1: WT_ERR_USAGE for pairs that the log does not have, WT_ERR_NOTFOUND where nothing in it can be a region.
 * Undo with wt_region_rows_deinit, also after a failure, once the file is not used any more. */
int wt_region_rows_init(struct wt_region_rows *rows, struct wt_view_file *file,
			const struct wt_region_pairs *pairs, struct wt_err *err);
void wt_region_rows_deinit(struct wt_region_rows *rows);

/** Calls fn with batches, as wt_log_scan does. May be called again. */
int wt_region_rows_scan(struct wt_region_rows *rows,
			int (*fn)(void *ctx, const struct wt_log_batch *batch, struct wt_err *err), void *ctx,
			struct wt_err *err);

#endif
