/* SPDX-License-Identifier: MIT */
/** @file The metrics of the requested models, for `list`. sys: in front of /sys and /proc, "" for the
 * machine's own. */
#ifndef TOOLS_PMU_METRICS_H
#define TOOLS_PMU_METRICS_H

#include "consumers/pmu/json.h"

/** Lists metrics and groups of metrics; more: with formulas, units and events to sample. WT_ERR_NOTFOUND:
 * none of that name, or no table for this machine. */
int wt_list_metrics(const struct wt_pmu_ask *ask, const char *sys, bool more, struct wt_buf *out,
		    struct wt_err *err);
/** wt_pmu_models_json of them. */
int wt_list_metrics_json(const struct wt_pmu_ask *ask, const char *sys, struct wt_buf *out,
			 struct wt_err *err);

#endif
