/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The abilities that perf_event_open gives this process, found by opening events and closing them at once.
 *
 * Nothing is enabled, mapped or left open. Any thread.
 */
#ifndef PROVIDERS_PERF_ABILITIES_H
#define PROVIDERS_PERF_ABILITIES_H

/** Each number is 0 when the attempt worked, otherwise its errno. */
struct wt_perf_abilities {
	int own_user;     /**< cpu-clock on the caller's own thread, user mode only */
	int own_kernel;   /**< cpu-clock on the caller's own thread, with kernel mode */
	int machine;      /**< cpu-clock on one CPU, all processes */
	int cycles;       /**< hardware cycles on the caller's own thread, user mode only */
	int lost_counts;  /**< PERF_FORMAT_LOST: the kernel counts lost samples per event (since 6.0) */
	char no_bpf[160]; /**< why the program on sampling events cannot be loaded; empty: it can be */
};

void wt_perf_abilities(struct wt_perf_abilities *ret);

#endif
