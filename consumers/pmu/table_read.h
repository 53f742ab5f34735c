/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Tables from JSON: our own (manifests/pmu/README.md), and the files that vendors publish (--telemetry):
 * Arm's telemetry specification of a CPU, and Arm's plain list of events. Bytes may be foreign.
 */
#ifndef CONSUMERS_PMU_TABLE_READ_H
#define CONSUMERS_PMU_TABLE_READ_H

#include "consumers/pmu/cpu_id.h"
#include "consumers/pmu/table.h"

struct json_object;

/** A kind of CPU that a table describes. */
struct wt_pmu_rule {
	uint32_t implementer, part; /**< arm64; implementer 0: x86 */
	uint32_t first, last;       /**< revisions, as wt_midr_revision */
	char vendor[16];
	uint32_t family, model;
};

bool wt_pmu_rule_holds(const struct wt_pmu_rule *rule, const struct wt_cpu_id *cpu);
/** From an object of "cpus"; false: it is none. */
bool wt_pmu_rule_read(struct json_object *node, struct wt_pmu_rule *ret);

/** Reads a table and finishes it. rule: NULL, or the CPU that it describes (both vendor and implementer
 * empty: it does not say). Errors: WT_ERR_FORMAT. */
int wt_pmu_table_read(const char *text, size_t len, const char *origin, struct wt_pmu_table **ret,
		      struct wt_pmu_rule *rule, struct wt_err *err);

#endif
