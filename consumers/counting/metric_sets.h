/* SPDX-License-Identifier: MIT */
/** @file The sets of events that wperf has by name: imix, icache, dcache, itlb, dtlb. */
#ifndef CONSUMERS_COUNTING_METRIC_SETS_H
#define CONSUMERS_COUNTING_METRIC_SETS_H

#include "consumers/pmu/model.h"

/** Adds the sets to the models of this machine that have such events. */
int wt_metric_sets_add(struct wt_pmu_models *models, struct wt_err *err);

/** The events of a set, with commas. Returns their number of bytes; 0: there is no set of that name. */
size_t wt_metric_set_events(const char *name, const char **ret);

/** Whether a list of -m, with commas, names one of these sets. */
bool wt_metric_sets_named(const char *list);

#endif
