/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Finds out from outside what a process may do without being killed for it. One thread.
 */
#ifndef TRACECORE_ENABLE_OUTSIDE_H
#define TRACECORE_ENABLE_OUTSIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "tracecore/ring/standing.h"

/** Facts that are kept from one process to the next, because processes often share a memory group. */
struct wt_outside {
	uint64_t need; /**< bytes that must be free in a group with limited memory */
	char group[512];
	bool group_is_short;
	char text[4096]; /**< what is read; not on a stack, which may be small */
};

/** The bytes that all rings of a session may take, plus a small reserve. */
static inline uint64_t wt_outside_need(uint32_t n_cpus, uint32_t block_bytes, uint32_t max_blocks)
{
	return (uint64_t)n_cpus * block_bytes * max_blocks + (16u << 20);
}

/** enum wt_standing of the process. filters: the number of system call filters it had when it registered
 * (WT_ABI_FILTERS_UNKNOWN). 0: the process cannot be seen. */
unsigned wt_outside_look(struct wt_outside *outside, uint32_t pid, uint32_t filters);

/** True when the process's memory group, or one above it, has less room than needed, or when the need is
 * more than an eighth of its limit. */
bool wt_outside_memory_is_short(struct wt_outside *outside, uint32_t pid);

/** enum wt_standing from the text of /proc/PID/status alone; memory is not examined. */
unsigned wt_outside_judge(const char *status, uint32_t filters);

#endif
