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

#endif
