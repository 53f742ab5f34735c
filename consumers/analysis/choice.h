/* SPDX-License-Identifier: MIT */
/** @file Which events are counted when nobody has named any. */
#ifndef CONSUMERS_ANALYSIS_CHOICE_H
#define CONSUMERS_ANALYSIS_CHOICE_H

#include "consumers/analysis/counter.h"

/** Whether the log has samples. */
int wt_view_find_samples(struct wt_log_reader *log, bool *ret, struct wt_err *err);
/** Chooses for a counter that has its keys, columns and filter: samples, or the events with the fields that
 * are asked for, or, when it is about kinds of events or there are no samples, all. asks: keys or a filter
 * were given. */
int wt_view_choose_events(struct wt_view_counter *counter, bool samples, bool asks, struct wt_err *err);

#endif
