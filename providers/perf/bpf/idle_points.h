/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What the programs on the scheduler's tracepoints (idle_points.bpf.c) write about idle threads.
 *
 * Some machines hide an idle thread: the kernel counts its tracepoints and gives no sample of them. The
 * programs see them all. Each record goes into a "bpf-output" event of the CPU, one for switches and one for
 * wakes.
 */
#ifndef PROVIDERS_PERF_BPF_IDLE_POINTS_H
#define PROVIDERS_PERF_BPF_IDLE_POINTS_H

enum wt_bpf_idle_what { WT_BPF_IDLE_SWITCH, WT_BPF_IDLE_WAKE, WT_BPF_IDLE_WHATS };

/** The idle thread leaves the CPU. */
struct wt_bpf_idle_switch {
	unsigned int new_tid;
	int new_priority, old_priority;
};

/** An interrupt of the idle thread wakes a thread. */
struct wt_bpf_idle_wake {
	unsigned int tid;
	int priority;
	unsigned int target_cpu;
	unsigned int preempt_count; /**< the kernel's, which tells interrupts from each other; or
				       WT_BPF_NOT_TOLD */
};

/** Bits of preempt_count (linux/preempt.h). */
enum {
	WT_BPF_SERVES_SOFTIRQ = 0x100,
	WT_BPF_HARDIRQ = 0xf0000,
	WT_BPF_NMI = 0xf00000,
};
#define WT_BPF_NOT_TOLD 0xffffffffU

/** CPUs whose events are counted. */
enum { WT_BPF_IDLE_CPUS = 8192 };

#endif
