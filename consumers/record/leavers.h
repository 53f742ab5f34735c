/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Who leaves a CPU for the last time: the kernel names no thread any more that is released before its last
 * switch.
 *
 * A thread tells of its end while it runs. Who leaves that CPU next is that thread, named or not: nothing
 * else ran there in between. A switch clears what was noted, so whoever is moved to another CPU between end
 * and last switch stays unnamed. That holds as long as no switch of the CPU is missing in between, which the
 * caller knows. Zeroed: empty. One thread.
 */
#ifndef CONSUMERS_RECORD_LEAVERS_H
#define CONSUMERS_RECORD_LEAVERS_H

#include <stddef.h>
#include <stdint.h>

struct wt_leavers {
	struct wt_leaver {
		uint32_t pid, tid; /**< tid 0: nobody ended there since the last switch */
	} * by_cpu;                /**< owned */
	size_t cap;
};

/** A thread told of its end on a CPU. Without memory, or a CPU, it stays unnamed. */
void wt_leavers_end(struct wt_leavers *leavers, uint32_t cpu, uint32_t pid, uint32_t tid);
/** Somebody left the CPU: who had ended there and not left it yet; tid 0: nobody. */
struct wt_leaver wt_leavers_leave(struct wt_leavers *leavers, uint32_t cpu);
void wt_leavers_deinit(struct wt_leavers *leavers);

#endif
