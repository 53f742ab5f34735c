/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A process as it is seen from outside: what it may do without being killed for it. One thread.
 */
#ifndef TRACECORE_ENABLE_OUTSIDE_H
#define TRACECORE_ENABLE_OUTSIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "tracecore/ring/standing.h"

/** What is remembered between two processes, which often share a group of memory. */
struct wt_outside {
	uint64_t need; /**< bytes that must be free in a group of limited memory */
	char group[512];
	bool group_is_short;
};

/** What all rings of a session may take, and a little more. */
static inline uint64_t wt_outside_need(uint32_t n_cpus, uint32_t block_bytes, uint32_t max_blocks)
{
	return (uint64_t)n_cpus * block_bytes * max_blocks + (16u << 20);
}

/** enum wt_standing of the process. filters: how many filters of system calls it had when it registered
 * (WT_ABI_FILTERS_UNKNOWN). 0: it cannot be seen. */
unsigned wt_outside_look(struct wt_outside *outside, uint32_t pid, uint32_t filters);

/** Has the process's memory group, or one above it, less room than needed, or is that more than an eighth of
 * its limit? */
bool wt_outside_memory_is_short(struct wt_outside *outside, uint32_t pid);

/** enum wt_standing by the text of /proc/PID/status alone: memory is not looked at. */
unsigned wt_outside_judge(const char *status, uint32_t filters);

#endif
