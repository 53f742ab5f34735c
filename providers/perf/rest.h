/* SPDX-License-Identifier: MIT */
/**
 * @file
 * CPU time of processes that still live when a session ends, where threads are sampled.
 *
 * The kernel tells what it counted of a thread when that ends (unsampled.h). Of those that live on, and of
 * the threads that were there first, it tells a sum: one for each CPU. How it is divided the clocks of the
 * processes say, read when the events begin and when they have stopped: what a process has used, less what
 * was reported of it, is its part. Where the clocks' sum is more than the kernel's, as when only some CPUs
 * are sampled, each gets less in proportion. What no living process accounts for is of those asked for that
 * have ended.
 *
 * Life: begin -> end -> add, once for each ring, by the last of which all is divided -> next, until false.
 * One thread.
 */
#ifndef PROVIDERS_PERF_REST_H
#define PROVIDERS_PERF_REST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tracecore/base/intern.h"

struct wt_perf;
struct wt_perf_unsampled;
struct wt_perf_source;

/** One process's part. */
struct wt_perf_part {
	uint32_t pid;
	uint64_t used;     /**< ns by its clock since the events began */
	uint64_t cpu_time; /**< ns that are not reported yet */
	uint64_t spans;    /**< of them no sample stands for */
};

/** Zeroed: empty. */
struct wt_perf_rest {
	uint64_t *begun;            /**< ns by the clocks of the processes asked for; owned */
	struct wt_perf_part *parts; /**< owned */
	size_t n, cap, at;
	struct wt_intern by_pid;  /**< their places */
	uint64_t cpu_time, spans; /**< of all rings so far */
};

/** Reads the clocks of the processes asked for: they begin to count. */
void wt_perf_rest_begin(struct wt_perf *perf);
/** What a ring got to know of a process at a time: so many samples or spans, and ns. Processes that are gone
 * are forgotten now and then. */
void wt_perf_rest_note(struct wt_perf_unsampled *processes, uint32_t pid, uint64_t time, uint64_t n,
		       uint64_t told);
/** Reads the clocks of all that were seen and live. Who has the number of one of them that ended, and began
 * after that was seen, is a stranger. */
void wt_perf_rest_end(struct wt_perf *perf);
/** What a ring has left when it has settled. True: it was the last one, all is divided. */
bool wt_perf_rest_add(struct wt_perf *perf, uint64_t cpu_time, uint64_t spans, uint64_t span);
/** The next process with a part. */
bool wt_perf_rest_next(struct wt_perf *perf, struct wt_perf_part *ret);
void wt_perf_rest_deinit(struct wt_perf_rest *rest);

#endif
