/* SPDX-License-Identifier: MIT */
/** @file The models, the CPUs and the meshes of a machine as JSON documents. */
#ifndef CONSUMERS_PMU_JSON_H
#define CONSUMERS_PMU_JSON_H

#include "consumers/pmu/ask.h"
#include "consumers/pmu/cmn.h"
#include "consumers/pmu/cpu_id.h"
#include "tracecore/base/json.h"

/** {"models": [{"name", "vendor", "product", "source", "metrics": [...], "groups": [...]}]}: the requested
 * metrics and groups of the requested models, with everything about them. */
void wt_pmu_models_json(const struct wt_pmu_ask *ask, const struct wt_pmu_models *models, struct wt_buf *out);
/** {"cpus": [{"cpu", "node", "package", "cluster", "core", "max_khz", "product", "table", ...}]} */
void wt_cpus_json(const struct wt_cpu_ids *cpus, const struct wt_pmu_models *models, struct wt_buf *out);
/** {"meshes": [{"mesh", "pmu", "product", "revision", "cpus", "events"[, "x", "y", "dtcs", "devices"]}]} */
void wt_cmns_json(const struct wt_cmn *cmns, size_t n, struct wt_buf *out);

/** The product that a CPU is: the model's, else the CPU's own name, else "-". */
const char *wt_cpu_product(const struct wt_cpu_id *cpu, const struct wt_pmu_model *model);

#endif
