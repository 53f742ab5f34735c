/* SPDX-License-Identifier: MIT */
/** @file Chooses the events to count when the user has named none. */
#ifndef CONSUMERS_ANALYSIS_CHOICE_H
#define CONSUMERS_ANALYSIS_CHOICE_H

#include "consumers/analysis/counter.h"

/** Whether the log has samples. */
int wt_view_find_samples(struct wt_log_reader *log, bool *ret, struct wt_err *err);
/** Chooses for a counter that has its keys, columns and filter: samples, or the events with the fields that
 * are asked for, or, when it is about kinds of events or there are no samples, all. asks: keys or a filter
 * were given. */
int wt_view_choose_events(struct wt_view_counter *counter, bool samples, bool asks, struct wt_err *err);

/** For a log without samples that has counts of threads or of CPUs (-p counters): selects those events, and
 * gives the key and the columns (owned by the caller) that show them. *keys is NULL for any other log, and
 * where there are more counters than columns. */
int wt_view_choose_counts(struct wt_view_counter *counter, const char **keys, struct wt_buf *columns,
			  struct wt_err *err);

#endif
