/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Names the thread that leaves a CPU for the last time. The kernel no longer names a thread that is released
 * before its last switch.
 *
 * A thread reports its end while it runs. The next thread to leave that CPU is this thread, named or not,
 * because nothing else ran there in between. A switch clears the note, so a thread that is moved to another
 * CPU between its end and its last switch stays unnamed. This holds only while no switch of the CPU is
 * missing in between; the caller knows that. Zeroed: empty. One thread.
 */
#ifndef CONSUMERS_RECORD_LEAVERS_H
#define CONSUMERS_RECORD_LEAVERS_H

#include <stddef.h>
#include <stdint.h>

struct wt_leavers {
	struct wt_leaver {
		uint32_t pid, tid; /**< tid 0: no thread ended there since the last switch */
	} * by_cpu;                /**< owned */
	size_t cap;
};

/** Notes that a thread reported its end on a CPU. Without memory or without a CPU, the thread stays unnamed.
 */
void wt_leavers_end(struct wt_leavers *leavers, uint32_t cpu, uint32_t pid, uint32_t tid);
/** Takes a switch away on the CPU. Returns the thread that had ended there and not left yet; tid 0: none. */
struct wt_leaver wt_leavers_leave(struct wt_leavers *leavers, uint32_t cpu);
void wt_leavers_deinit(struct wt_leavers *leavers);

#endif
