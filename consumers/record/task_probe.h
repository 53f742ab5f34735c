/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What /proc says, right now, about a process whose start nobody has reported.
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
 * may be read; uid unknown. The strings point into *probe. -1 when there is no such process. */
int wt_task_probe(struct wt_task_probe *probe, uint32_t pid, struct wt_proc_payload *ret);

/** Fills *ret from the text of a stat file alone, zero-ended; boot_offset as wt_clock_boot_offset. -1 when it
 * is not one. */
int wt_task_probe_stat(const char *stat, int64_t boot_offset, struct wt_proc_payload *ret);

/** Whether two processes have one memory. */
enum wt_memory wt_task_probe_memory(uint32_t a, uint32_t b);
/** True when something executable lies at the address in the process's memory now. */
bool wt_task_probe_has(uint32_t pid, uint64_t address);

/** The user the process runs as; UINT32_MAX: there is no such process. */
uint32_t wt_task_probe_uid(uint32_t pid);

#endif
