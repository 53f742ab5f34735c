/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Says whether events are inside one of the regions that an expression selects: `in region 'parse'`.
 *
 * An event is inside from the beginning of the region to its end, both included. If both have an activity,
 * these must be equal. If one of them has none, the event must be on the thread on which the region began
 * and ended. A region that never ended is open to the end of the log, and a region without a beginning from
 * the start of the log. Memory: 24 bytes per selected region, less where regions touch.
 */
#ifndef CONSUMERS_ANALYSIS_REGION_SET_H
#define CONSUMERS_ANALYSIS_REGION_SET_H

#include "consumers/analysis/filter.h"
#include "consumers/analysis/region_rows.h"

struct wt_region_set;

/** Finds the regions of the log for which the expression holds (names as for region rows; it may itself ask
 * `in region`). -1: WT_ERR_USAGE for expressions and pairs that do not fit the log. */
int wt_region_set_create(struct wt_log_reader *log, const struct wt_region_pairs *pairs, const char *expr,
			 struct wt_region_set **ret, struct wt_err *err);
void wt_region_set_destroy(struct wt_region_set *set);

/** mask[i] = 1 where event i is inside, else 0. */
int wt_region_set_mask(struct wt_region_set *set, const struct wt_log_batch *batch, uint8_t *mask,
		       struct wt_err *err);

/** Finds the regions that a filter names, in a pass over its file's log for each of them. Does nothing if
 * the filter names none. */
int wt_view_filter_regions(struct wt_view_filter *filter, const struct wt_region_pairs *pairs,
			   struct wt_err *err);

#endif
