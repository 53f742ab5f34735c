/* SPDX-License-Identifier: MIT */
/**
 * @file
 * PMUs outside the cores that have a table: where sysfs has such a PMU, its events and metrics are added to
 * the models of the machine's CPUs.
 */
#ifndef CONSUMERS_PMU_UNCORE_H
#define CONSUMERS_PMU_UNCORE_H

#include "consumers/pmu/table.h"

/** Units of one PMU that are known apart: clusters, channels. */
#define WT_UNCORE_UNITS 128

/** Units of the PMU in sysfs, by name: arm_dsu_0, arm_dsu_1. */
struct wt_uncore {
	char unit[WT_UNCORE_UNITS][64];
	size_t n;
};

/** Looks for "PMU_NUMBER", decimal or, as the channels of DMC-620 have them, hexadecimal. sys: in front of
 * /sys. */
void wt_uncore_find(const char *sys, const char *pmu, struct wt_uncore *ret);

/**
 * Adds the items of `from` to a table, which must be finished afterwards: events as "arm_dsu.l3d_cache", of
 * all units together; metrics under their own names, and, where there are several units, once more for each,
 * as "l3_bandwidth.0". Groups hold the metrics of all units.
 */
int wt_uncore_add(struct wt_pmu_table *table, const struct wt_pmu_model *from, const char *pmu,
		  const struct wt_uncore *units, struct wt_err *err);

#endif
