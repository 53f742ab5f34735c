/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Records that were taken out of a ring before they could be read to their end, so that the kernel has room.
 *
 * A sample whose stack waits for an unwind table keeps everything behind it waiting, and an unprivileged
 * user's ring is full in a tenth of a second. Its records then move, as they are, to the place of the same
 * position in a larger ring of ours: positions stay what they were, and with them checkpoints. What the
 * kernel left unused of a copy of a stack is not moved, and takes no memory.
 *
 *   begin <= end: bytes [begin, end) are here, and end is the ring's data_tail. begin >= end: nothing is.
 *
 * Bytes and state lie in memory shared by all processes of the session: a recorder that dies leaves them to
 * the one that takes over, as it does the ring. Whoever moves records first stores the bytes, then end
 * (release), then the ring's data_tail; whoever dies between has moved them all the same. All holds of a
 * session share one bound. One reader; single-threaded.
 */
#ifndef PROVIDERS_PERF_HOLD_H
#define PROVIDERS_PERF_HOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Bytes of all holds of a session: thousands of stacks as they are, and a fifth of a recorder's memory. */
#define WT_PERF_HOLD_BYTES (UINT64_C(48) << 20)
/** Positions one hold spans, in sizes of its ring. */
#define WT_PERF_HOLD_SPAN 8

/** In shared memory; zeroed: empty. */
struct wt_perf_held {
	uint64_t begin, end; /**< positions in the ring */
	uint64_t bytes;      /**< memory that takes, an upper bound */
};

/** Zeroed: nothing can be held. */
struct wt_perf_hold {
	struct wt_perf_held *state; /**< borrowed, shared */
	uint8_t *data;              /**< borrowed, shared: size bytes of which few are touched */
	uint64_t size;              /**< a power of two */
	uint64_t page;              /**< bytes of a page, a power of two */
};

static inline bool wt_perf_hold_is_empty(const struct wt_perf_hold *hold)
{
	return !hold->data || hold->state->begin >= hold->state->end;
}

/** Forgets everything and gives the memory back. */
void wt_perf_hold_reset(struct wt_perf_hold *hold);

/** A record's bytes that are put: those from `hole` to `hole_end` are not worth it. */
struct wt_perf_held_record {
	const uint8_t *bytes;
	uint32_t len, hole, hole_end;
};

/** What a record counts for: bytes of the pages it may touch. */
uint64_t wt_perf_hold_cost(const struct wt_perf_hold *hold, const struct wt_perf_held_record *record);
/** Puts it at position `at`: behind what is there, if anything is. False: it would span too much. Not visible
 * before wt_perf_hold_publish. */
bool wt_perf_hold_put(struct wt_perf_hold *hold, uint64_t at, const struct wt_perf_held_record *record);
/** What was put from `begin` to `end` is there; it takes `bytes` more. */
void wt_perf_hold_publish(struct wt_perf_hold *hold, uint64_t begin, uint64_t end, uint64_t bytes);
/** What lies before pos is not needed any more; it took `bytes`. */
void wt_perf_hold_release(struct wt_perf_hold *hold, uint64_t pos, uint64_t bytes);

#endif
