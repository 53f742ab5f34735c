/* SPDX-License-Identifier: MIT */
/** @file The requested models: those of this machine's CPUs, or one by name or from a file. */
#ifndef CONSUMERS_PMU_ASK_H
#define CONSUMERS_PMU_ASK_H

#include "consumers/pmu/model.h"

struct wt_pmu_ask {
	const char *cpu_model; /**< NULL: the file's, or without a file those of the machine's CPUs */
	const char *telemetry; /**< a vendor's file, or NULL */
	const char *word;      /**< only items with this in their names; NULL: everything */
};

/** Opens the tables and checks that the requested model exists (WT_ERR_USAGE names the nearest). */
int wt_pmu_ask_open(const struct wt_pmu_ask *ask, const char *sys, struct wt_pmu_models **ret,
		    struct wt_err *err);
/** Returns the i-th requested model, NULL at the end. */
const struct wt_pmu_model *wt_pmu_asked(const struct wt_pmu_ask *ask, const struct wt_pmu_models *models,
					size_t i);
/** Returns whether an item of that name is requested. */
bool wt_pmu_ask_wants(const struct wt_pmu_ask *ask, const char *name);
/** Fails because no metric or group was requested: with the nearest, or because there is no table. */
int wt_pmu_ask_fail_none(const struct wt_pmu_ask *ask, const struct wt_pmu_models *models,
			 struct wt_err *err);

#endif
