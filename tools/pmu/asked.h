/* SPDX-License-Identifier: MIT */
/** The requested models: those of this machine's CPUs, or one by name; and their metrics for `list`. */
#ifndef TOOLS_PMU_ASKED_H
#define TOOLS_PMU_ASKED_H

#include "consumers/pmu/model.h"
#include "tracecore/base/buf.h"

struct wt_pmu_ask {
	const char *cpu_model; /**< NULL: the file's, or without a file those of the machine's CPUs */
	const char *telemetry; /**< a vendor's file, or NULL */
	const char *word;      /**< only items with this in their names; NULL: everything */
	bool more;             /**< with formulas, units and events to sample */
};

/** Opens the tables and checks that the requested model exists (WT_ERR_USAGE names the nearest). */
int wt_pmu_ask_open(const struct wt_pmu_ask *ask, const char *sys, struct wt_pmu_models **ret,
		    struct wt_err *err);
/** Returns the i-th requested model, NULL at the end. */
const struct wt_pmu_model *wt_pmu_asked(const struct wt_pmu_ask *ask, const struct wt_pmu_models *models,
					size_t i);

/** Lists metrics and groups of metrics. WT_ERR_NOTFOUND: none of that name, or no table for this machine. */
int wt_list_metrics(const struct wt_pmu_ask *ask, const char *sys, struct wt_buf *out, struct wt_err *err);
/** {"models": [{"name", "vendor", "product", "source", "metrics": [...], "groups": [...]}]}, always with
 * everything. */
int wt_list_metrics_json(const struct wt_pmu_ask *ask, const char *sys, struct wt_buf *out,
			 struct wt_err *err);

#endif
