/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The BPF program at mprotect (bpf/made_exec.h), loaded and attached, and its ring.
 *
 * The program is optional; opening fails with the reason, as for the program on samples (bpf.h). It runs
 * until it is closed in every process that had it before a fork; one process at a time reads the ring.
 */
#ifndef PROVIDERS_PERF_MADE_EXEC_RING_H
#define PROVIDERS_PERF_MADE_EXEC_RING_H

#include "providers/perf/made_exec.h"
#include "tracecore/base/err.h"

struct wt_made_exec_ring;

/** On failure *ret is NULL and err gives the reason, in words that follow "without BPF: ". */
int wt_made_exec_ring_open(struct wt_made_exec_ring **ret, struct wt_err *err);
/** May be NULL. */
void wt_made_exec_ring_close(struct wt_made_exec_ring *ring);
/** Like wt_made_exec_ask, with all reports of the kernel by now. UNKNOWN also when the ring cannot be read.
 * Never CLEAN where the kernel does not count the calls in which the program did not run (a kprobe). */
enum wt_made_exec_answer wt_made_exec_ring_ask(struct wt_made_exec_ring *ring, uint32_t pid, uint64_t start,
					       uint64_t end, uint64_t time);

#endif
