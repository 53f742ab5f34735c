/* SPDX-License-Identifier: MIT */
/**
 * @file
 * CPU time of processes that still live when a session ends, where threads are sampled.
 *
 * The kernel reports its count of a thread when the thread ends (unsampled.h). For threads that live on, and
 * for the first threads, it reports only a sum for each CPU. The sum is divided by the clocks of the
 * processes, read when the events begin and when they have stopped: the part of a process is its used time
 * minus the reported time. Where the sum of the clocks exceeds the kernel's sum, as when only some CPUs are
 * sampled, each process gets less in proportion. Time that no living process accounts for belongs to
 * requested processes that have ended.
 *
 * Life: begin -> end -> add, once for each ring; the last call divides the time -> next, until false. One
 * thread.
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
	uint64_t spans;    /**< spans of them without a sample */
};

/** Zeroed: empty. */
struct wt_perf_rest {
	uint64_t *begun;            /**< ns by the clocks of the requested processes; owned */
	struct wt_perf_part *parts; /**< owned */
	size_t n, cap, at;
	struct wt_intern by_pid;  /**< their places */
	uint64_t cpu_time, spans; /**< of all rings so far */
};

/** Reads the clocks of the requested processes when they begin to count. */
void wt_perf_rest_begin(struct wt_perf *perf);
/** Notes a ring's findings about a process at a time: a number of samples or spans, and ns. Ended processes
 * are dropped now and then. */
void wt_perf_rest_note(struct wt_perf_unsampled *processes, uint32_t pid, uint64_t time, uint64_t n,
		       uint64_t told);
/** Reads the clocks of all known processes that live. A process is a stranger if it has the pid of an ended
 * one and began after that one was seen. */
void wt_perf_rest_end(struct wt_perf *perf);
/** Adds the time that a ring has left when it has settled. Returns true for the last ring: all time is
 * divided. */
bool wt_perf_rest_add(struct wt_perf *perf, uint64_t cpu_time, uint64_t spans, uint64_t span);
/** Returns the next process with a part. */
bool wt_perf_rest_next(struct wt_perf *perf, struct wt_perf_part *ret);
void wt_perf_rest_deinit(struct wt_perf_rest *rest);

#endif
