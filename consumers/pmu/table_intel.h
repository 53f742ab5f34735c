/* SPDX-License-Identifier: MIT */
/** @file Intel's files (perfmon): {"Header", "Events"} of the core or the uncore, {"Header", "Metrics"}.
 * Bytes may be foreign. */
#ifndef CONSUMERS_PMU_TABLE_INTEL_H
#define CONSUMERS_PMU_TABLE_INTEL_H

#include "consumers/pmu/table.h"

struct json_object;

bool wt_pmu_is_intel(struct json_object *root);
/** Adds the events, or the metrics with their base formulas, to the table. Groups and the tree are not read:
 * they come from the table that the file stands for. Errors: WT_ERR_FORMAT. */
int wt_pmu_read_intel(struct wt_pmu_table *table, struct json_object *root, struct wt_err *err);

#endif
