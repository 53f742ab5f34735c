/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Reads /proc now for a process whose start no event reported.
 */
#ifndef CONSUMERS_RECORD_TASK_PROBE_H
#define CONSUMERS_RECORD_TASK_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "consumers/record/kin.h"
#include "tracecore/kernel_events.h"

/** Strings of the last answer. */
struct wt_task_probe {
	char stat[1024];
	char exe[4096];
};

/** Fills *ret for the process: parent, start time (rounded by the kernel to a clock tick), name, exe where it
 * may be read; uid is unknown. The strings point into *probe. -1 when the process does not exist,
 * or does not answer (tracecore/base/apart.h). */
int wt_task_probe(struct wt_task_probe *probe, uint32_t pid, struct wt_proc_payload *ret);

/** Fills *ret from the text of a stat file alone, zero-ended; boot_offset as wt_clock_boot_offset. -1 when
 * the text is not a stat file. */
int wt_task_probe_stat(const char *stat, int64_t boot_offset, struct wt_proc_payload *ret);

/** Asks whether two processes share one memory. */
enum wt_memory wt_task_probe_memory(uint32_t a, uint32_t b);
/** True when something executable lies at the address in the process's memory now. False, too, when the
 * process does not answer (tracecore/base/apart.h). */
bool wt_task_probe_has(uint32_t pid, uint64_t address);

#endif
