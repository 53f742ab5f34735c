/* SPDX-License-Identifier: MIT */
/**
 * @file
 * How often a thread has left its CPUs, as the kernel counts it (nvcsw + nivcsw), at a place in the stream of
 * events.
 *
 * The stream counts the switches; where it has to begin is known of threads whose start was seen, and of
 * those whose count was read from the kernel while they waited. A count may be too low after a loss, never
 * too high: when the kernel's count is equal later, the thread has not left a CPU since that place.
 * Single-threaded.
 */
#ifndef CONSUMERS_RECORD_TURNS_H
#define CONSUMERS_RECORD_TURNS_H

#include <stdbool.h>
#include <stdint.h>

/** Zeroed is one of which nothing is known. */
struct wt_turns {
	uint64_t count;            /**< while `known` */
	uint64_t seen;             /**< the highest count that was read from the kernel */
	uint64_t last;             /**< session clock: the last switch that was taken */
	uint64_t from, to, answer; /**< while `asked`: the kernel gave this answer at some time between */
	uint32_t losses;           /**< `known` and `asked` hold until there are more */
	bool known, asked;
	bool alone; /**< while `known`: a process's first thread, and no other has begun */
};

/** The thread begins to live: it has left no CPU yet. losses: number of losses that the recorder knows. */
void wt_turns_begin(struct wt_turns *turns, uint32_t losses);
/** The process begins another program. A thread other than the first gets the number of the first one then,
 * and keeps its own count. */
void wt_turns_exec(struct wt_turns *first, uint32_t losses);
/** Returns the thread's count with a switch at this time, which is not taken yet; 0: not known. */
uint64_t wt_turns_with(const struct wt_turns *turns, uint64_t time, uint32_t losses);
/** Takes a switch. */
void wt_turns_leave(struct wt_turns *turns, uint64_t time, uint32_t losses);
/** Takes an answer of the kernel. The thread was off the CPUs at a moment after the answer and before `to`.
 */
void wt_turns_answer(struct wt_turns *turns, uint64_t from, uint64_t to, uint64_t count, uint32_t losses);
/** True when asking the kernel can bring something: no answer waits for the stream to come by. */
bool wt_turns_may_ask(const struct wt_turns *turns, uint32_t losses);

#endif
