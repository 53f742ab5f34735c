/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The kinds of cores of this machine: one, or several where CPUs are of different models (big.LITTLE,
 * hybrid), each with the PMU that counts in them and the table of events of its model.
 */
#ifndef CONSUMERS_COUNTING_CORES_H
#define CONSUMERS_COUNTING_CORES_H

#include <stddef.h>

#include "consumers/pmu/model.h"
#include "providers/perf/textfile.h"

struct wt_core_type {
	char name[64]; /**< the PMU's, or the model's when there is one PMU for all */
	int64_t pmu;   /**< perf_event_attr.type; -1: the type of raw events */
	struct wt_cpuset cpus;
	const struct wt_pmu_model *model;
};

enum { WT_MOST_CORE_TYPES = 16 };

struct wt_cores {
	struct wt_pmu_models *models; /**< owned */
	struct wt_cpuset online;
	struct wt_core_type types[WT_MOST_CORE_TYPES];
	size_t n;
	const char *devices; /**< PMUs of sysfs as in wt_perf_spec_parse; not owned */
};

/** Opens the tables; telemetry: as in wt_pmu_models_open. Undo with wt_cores_deinit, also after a failure. */
int wt_cores_init(struct wt_cores *ret, const char *telemetry, struct wt_err *err);
/** Finds the types. Call it when nothing more is added to the tables. */
int wt_cores_find(struct wt_cores *cores, struct wt_err *err);
void wt_cores_deinit(struct wt_cores *cores);

/** The type of a CPU, as an index; 0 for an unknown CPU. */
size_t wt_cores_type_of(const struct wt_cores *cores, uint32_t cpu);

#endif
