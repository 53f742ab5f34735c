/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Selects the events that count: by the --where expression, sampled sources, the recorder's own events,
 * proved stacks.
 */
#ifndef CONSUMERS_ANALYSIS_FILTER_H
#define CONSUMERS_ANALYSIS_FILTER_H

#include "consumers/analysis/key.h"

/** Zeroed with file set: everything passes. */
struct wt_view_filter {
	struct wt_view_file *file; /**< borrowed */
	struct wt_expr *where;     /**< owned; NULL: all */
	struct wt_expr *sources;   /**< owned; for samples only; NULL: all */
	struct wt_view_key *keys;  /**< of both expressions; owned */
	uint32_t n_keys;
	bool no_self; /**< leave out what the recorder caused */
	bool proved;  /**< leave out what has a stack whose callers are not proved (wt_stack_is_proved) */
	uint64_t unproved; /**< events left out for that alone; the caller's to read and to clear */
	uint8_t *scratch;
	uint32_t scratch_n;
};

/** Parses and binds the expression; on WT_ERR_USAGE place says where. Once. */
int wt_view_filter_where(struct wt_view_filter *filter, const char *text, struct wt_expr_place *place,
			 struct wt_err *err);
/** Lets only samples of these sources pass. Once. */
int wt_view_filter_sources(struct wt_view_filter *filter, const char *const *sources, size_t n,
			   struct wt_err *err);
/** Whether some event of a block may pass; by what is known of its fields, its CPU and its times. As
 * wt_log_filter.may for the filter as ctx. */
bool wt_view_filter_may(const struct wt_view_filter *filter, const struct wt_log_outline *outline);
void wt_view_filter_deinit(struct wt_view_filter *filter);

/** Returns whether the expression asks for events inside regions: then wt_view_filter_regions (region_set.h)
 * must run before the first mask. */
bool wt_view_filter_asks_regions(const struct wt_view_filter *filter);
/** The columns the filter reads. As wt_log_filter.need; ctx is the filter. */
void wt_view_filter_need(void *ctx, const struct wt_log_segment *segment, uint32_t kind,
			 struct wt_log_need *ret);

/** mask[i] = 1 where event i of the batch passes, else 0. */
int wt_view_filter_mask(struct wt_view_filter *filter, struct wt_view_segment *segment,
			const struct wt_log_batch *batch, uint8_t *mask, struct wt_err *err);
/** Whether event i of the batch passes, in *ret. This costs more than a mask: use it for events that come
 * sorted by time. */
int wt_view_filter_one(struct wt_view_filter *filter, const struct wt_log_batch *batch, uint32_t i,
		       uint8_t *ret, struct wt_err *err);

#endif
