/* SPDX-License-Identifier: MIT */
/** @file The configuration of this machine's PMU and of tracing, for `test`: rows with wperf's names. */
#ifndef CONSUMERS_INVENTORY_SETTINGS_H
#define CONSUMERS_INVENTORY_SETTINGS_H

#include "consumers/counting/event_list.h"
#include "tracecore/base/table.h"

/** Columns Test Name and Result. "n/a" stands for values that the kernel does not report. list: events that
 * are shown with their indices and notes, in the order in which the kernel gets them, and the turns in
 * which it counts them; may be empty. Nothing is counted, except for a moment on the caller's own thread,
 * to find the free counters. */
int wt_settings_list(const struct wt_cores *cores, const struct wt_count_list *list, struct wt_table *ret,
		     struct wt_err *err);

#endif
