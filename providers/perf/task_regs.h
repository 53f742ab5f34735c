/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The user registers of all threads that do not run, read from the kernel at one moment (bpf/task_regs.h).
 */
#ifndef PROVIDERS_PERF_TASK_REGS_H
#define PROVIDERS_PERF_TASK_REGS_H

#include <stddef.h>
#include <stdint.h>

#include "providers/perf/bpf/task_regs.h"

struct wt_task_regs {
	struct wt_bpf_task_regs *list; /**< owned; by tid */
	size_t n;
};

/** Reads them. Without BPF, or where the kernel refuses it, there are none. */
void wt_task_regs_read(struct wt_task_regs *ret);
void wt_task_regs_deinit(struct wt_task_regs *regs);
/** Returns the registers of a thread that has left its CPUs so often, and waits now; NULL: not known. The
 * thread has the same registers still: one that ran in between, or while they were read, has a higher count
 * by now. */
const struct wt_bpf_task_regs *wt_task_regs_find(const struct wt_task_regs *regs, uint32_t pid, uint32_t tid,
						 uint64_t switches);
/** Gives the registers of an entry by DWARF number, and the instruction pointer. */
uint64_t wt_task_regs_get(const struct wt_bpf_task_regs *regs, uint64_t r[32]);

#endif
