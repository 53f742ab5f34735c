/* SPDX-License-Identifier: MIT */
/** @file The topdown tree of a table: the names of next steps become nodes. */
#ifndef CONSUMERS_PMU_TREE_H
#define CONSUMERS_PMU_TREE_H

#include "consumers/pmu/table.h"

/** Nodes deep at most. */
#define WT_PMU_TREE_DEEP 32

/** Builds model.topdown of a table whose items are sorted. A name that is no branch is a group (a node over
 * its metrics) or a metric (a leaf). WT_ERR_FORMAT: a way that leads back, or one of more than
 * WT_PMU_TREE_DEEP nodes. */
int wt_pmu_tree_build(struct wt_pmu_table *table, struct wt_err *err);

#endif
