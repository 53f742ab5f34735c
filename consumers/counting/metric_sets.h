/* SPDX-License-Identifier: MIT */
/** @file The sets of events that wperf has by name: imix, icache, dcache, itlb, dtlb. */
#ifndef CONSUMERS_COUNTING_METRIC_SETS_H
#define CONSUMERS_COUNTING_METRIC_SETS_H

#include "consumers/pmu/model.h"

/** Adds the sets to the models of this machine that have such events. */
int wt_metric_sets_add(struct wt_pmu_models *models, struct wt_err *err);

/** Whether a list of -m, with commas, names one of these sets. */
bool wt_metric_sets_named(const char *list);

#endif
