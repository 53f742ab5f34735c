/* SPDX-License-Identifier: MIT */
/** @file The events of a log in time order, for those that work out rows from them. */
#ifndef CONSUMERS_ANALYSIS_IN_ORDER_H
#define CONSUMERS_ANALYSIS_IN_ORDER_H

#include "tracecore/logfmt/read/reader.h"

/** Called with event i of the batch. Returns 0; 1: no more; -1: see err. */
typedef int wt_in_order_fn(void *ctx, const struct wt_log_batch *batch, uint32_t i, struct wt_err *err);

/** Calls fn with each event that the filter lets through. Returns 0 at the end; 1: fn wanted no more; -1. */
int wt_in_order(struct wt_log_reader *log, const struct wt_log_filter *filter, wt_in_order_fn *fn, void *ctx,
		struct wt_err *err);

/** What becomes of events that are read on a thread of their own. */
struct wt_in_order_ends {
	size_t size; /**< bytes of a record */
	/** On the reading thread: fills the record with event i of the batch. */
	void (*read)(void *ctx, const struct wt_log_batch *batch, uint32_t i, void *record);
	/** On the calling thread. Returns 0; 1: no more; -1: see err. */
	int (*take)(void *ctx, const void *record, struct wt_err *err);
	void *ctx; /**< of both; the filter's functions are called on the reading thread */
};

/** Decodes the events that the filter lets through and puts them into order on a thread of their own
 * (relay.h), and has their records taken in that order here. Returns 0; -1. */
int wt_in_order_apart(struct wt_log_reader *log, const struct wt_log_filter *filter,
		      const struct wt_in_order_ends *ends, struct wt_err *err);

#endif
