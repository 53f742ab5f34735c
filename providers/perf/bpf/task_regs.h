/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The interface between the program that lists the threads of programs (task_regs.bpf.c) and the recorder:
 * one record for each thread, in the order of the kernel's list.
 */
#ifndef PROVIDERS_PERF_BPF_TASK_REGS_H
#define PROVIDERS_PERF_BPF_TASK_REGS_H

/** Words of the kernel's struct pt_regs: arm64 needs the most. */
enum { WT_BPF_REGS_WORDS = 36 };

struct wt_bpf_task_regs {
	unsigned int pid, tid;
	unsigned long long switches; /**< how often the thread had left a CPU when the registers were read */
	/** User registers, as the kernel saved them. They are those of the thread as long as it does not run.
	 */
	unsigned long long words[WT_BPF_REGS_WORDS];
};

#endif
