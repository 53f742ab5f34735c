/* SPDX-License-Identifier: MIT */
/** @file Inside of a set of models: its tables and the machine's CPUs, for the files that add to it. */
#ifndef CONSUMERS_PMU_MODELS_H
#define CONSUMERS_PMU_MODELS_H

#include <pthread.h>

#include "consumers/pmu/table_read.h"

#define WT_PMU_RULES_MAX 8

/** A table that is known by name; it is read when it is first asked for. */
struct wt_pmu_known {
	char name[64];
	struct wt_pmu_rule rules[WT_PMU_RULES_MAX];
	size_t n_rules;
	char pmu[32]; /**< of a PMU outside the cores: the prefix of its units' names; else "" */
	struct wt_pmu_table *table; /**< owned; NULL: not read yet */
};

struct wt_pmu_models {
	struct wt_pmu_known *known; /**< owned */
	size_t n_known;
	struct wt_pmu_table *telemetry, *unknown; /**< owned; telemetry: NULL without */
	struct wt_cpu_ids cpus;
	struct wt_pmu_table **of_cpu; /**< by place in cpus */
	struct wt_pmu_table **here;   /**< those of the CPUs, each once */
	size_t n_here;
	uint32_t n_cpus, n_cores, n_packages; /**< of CPUs that report their place */
	uint32_t chas;         /**< uncore_cha_N in sysfs: caching agents of one socket; 0: none */
	pthread_mutex_t *lock; /**< of the tables that are read later */
};

/** Counts the facts behind the properties of the machine (n_cpus and its like, chas). */
void wt_pmu_count_machine(struct wt_pmu_models *models, const char *sys);

#endif
