/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The identity of each CPU of the machine, from sysfs and /proc/cpuinfo, and its place.
 *
 * An offline CPU reports nothing: its numbers are 0 and its places -1.
 */
#ifndef CONSUMERS_PMU_CPU_ID_H
#define CONSUMERS_PMU_CPU_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracecore/base/err.h"

struct wt_cpu_id {
	uint32_t cpu;
	uint64_t midr;   /**< MIDR_EL1; 0: none */
	char vendor[16]; /**< x86: "GenuineIntel"; else "" */
	char name[64];   /**< x86: "Intel(R) Xeon(R) Processor"; else "" */
	uint32_t family, model, stepping;
	bool sve2;                            /**< arm64: an ARMv9 CPU has it */
	int32_t package, core, cluster, node; /**< -1: not said */
	uint64_t max_khz;                     /**< 0: not said */
};

struct wt_cpu_ids {
	struct wt_cpu_id *list; /**< by number, rising; owned */
	size_t n;
};

/** sys: in front of /sys and /proc, "" for the machine's own. At least one CPU. */
int wt_cpu_ids_read(const char *sys, struct wt_cpu_ids *ret, struct wt_err *err);
void wt_cpu_ids_deinit(struct wt_cpu_ids *ids);
/** NULL: no such CPU. */
const struct wt_cpu_id *wt_cpu_id_of(const struct wt_cpu_ids *ids, uint32_t cpu);

/** Returns whether the CPU reports its identity. */
static inline bool wt_cpu_id_known(const struct wt_cpu_id *cpu)
{
	return cpu->midr || cpu->vendor[0];
}

/** Fields of a MIDR. */
static inline uint32_t wt_midr_implementer(uint64_t midr)
{
	return (uint32_t)(midr >> 24) & 0xff;
}
static inline uint32_t wt_midr_part(uint64_t midr)
{
	return (uint32_t)(midr >> 4) & 0xfff;
}
/** The revision rNpM as N * 16 + M, so that later ones are greater. */
static inline uint32_t wt_midr_revision(uint64_t midr)
{
	return ((uint32_t)(midr >> 20) & 0xf) << 4 | ((uint32_t)midr & 0xf);
}

#endif
