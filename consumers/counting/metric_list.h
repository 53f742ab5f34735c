/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The metrics to compute, from the words of -m: metrics of the CPU's model, groups of them, or sets of events
 * without a formula. The events of each are counted as a group where they fit.
 */
#ifndef CONSUMERS_COUNTING_METRIC_LIST_H
#define CONSUMERS_COUNTING_METRIC_LIST_H

#include "consumers/counting/event_list.h"
#include "consumers/pmu/formula.h"

/** The name is a property of the machine (wt_pmu_property). */
#define WT_METRIC_PROPERTY SIZE_MAX

/** A metric on one kind of core. */
struct wt_metric_way {
	const struct wt_pmu_metric *metric; /**< NULL: that kind has none of that name */
	struct wt_formula *formula;         /**< owned; NULL: it has no value of its own */
	size_t *events; /**< owned; index in the list of events for each of its names; WT_METRIC_PROPERTY */
};

struct wt_metric_use {
	char name[64];
	struct wt_metric_way ways[WT_MOST_CORE_TYPES]; /**< by kind of core */
	bool valued;                                   /**< at least one has a formula */
};

struct wt_metric_list {
	struct wt_metric_use *metrics; /**< owned */
	size_t n;
};

/** Appends the metrics of a list like "ipc,Topdown_L1", and their events to `events`. Errors are
 * WT_ERR_USAGE and name the nearest word. */
int wt_metric_list_add(struct wt_metric_list *list, const char *text, const struct wt_cores *cores,
		       struct wt_count_list *events, struct wt_err *err);
void wt_metric_list_deinit(struct wt_metric_list *list);

#endif
