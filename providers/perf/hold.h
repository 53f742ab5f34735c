/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Records moved out of a ring before they can be processed, so that the kernel has room.
 *
 * A sample whose stack waits for an unwind table keeps everything behind it waiting, and an unprivileged
 * user's ring is full in a tenth of a second. Its records then move unchanged to their position in a larger
 * ring of our own: positions stay valid, and with them checkpoints. The unused part of the room for a copy
 * of a stack is not moved, and takes no memory.
 *
 *   begin <= end: bytes [begin, end) are here, and end is the ring's data_tail. begin >= end: it is empty.
 *
 * Bytes and state lie in memory shared by all processes of the session: a recorder that dies leaves them,
 * with the ring, to the one that takes over. A move first stores the bytes, then end (release), then the
 * ring's data_tail; after a death in between the records count as moved. All holds of a session share one
 * bound. One reader; single-threaded.
 */
#ifndef PROVIDERS_PERF_HOLD_H
#define PROVIDERS_PERF_HOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Most bytes of all holds of a session: thousands of typical stacks, and a fifth of a recorder's memory. */
#define WT_PERF_HOLD_BYTES (UINT64_C(48) << 20)
/** Most positions that one hold spans, in sizes of its ring. */
#define WT_PERF_HOLD_SPAN 8

/** In shared memory; zeroed: empty. */
struct wt_perf_held {
	uint64_t begin, end; /**< positions in the ring */
	uint64_t bytes;      /**< upper bound of the memory that they take */
};

/** Zeroed: nothing can be held. */
struct wt_perf_hold {
	struct wt_perf_held *state; /**< borrowed, shared */
	uint8_t *data;              /**< borrowed, shared: size bytes, few of which are touched */
	uint64_t size;              /**< a power of two */
	uint64_t page;              /**< bytes of a page, a power of two */
};

static inline bool wt_perf_hold_is_empty(const struct wt_perf_hold *hold)
{
	return !hold->data || hold->state->begin >= hold->state->end;
}

/** Forgets everything and gives the memory back. */
void wt_perf_hold_reset(struct wt_perf_hold *hold);

/** The bytes of a record that are put: those from `hole` to `hole_end` are left out. */
struct wt_perf_held_record {
	const uint8_t *bytes;
	uint32_t len, hole, hole_end;
};

/** Returns the bytes that a record counts for: those of the pages it may touch. */
uint64_t wt_perf_hold_cost(const struct wt_perf_hold *hold, const struct wt_perf_held_record *record);
/** Puts the record at position `at`, behind the present ones, if any. False: the hold would span too much.
 * Not visible before wt_perf_hold_publish. */
bool wt_perf_hold_put(struct wt_perf_hold *hold, uint64_t at, const struct wt_perf_held_record *record);
/** Makes the records put from `begin` to `end` visible; they take `bytes` more. */
void wt_perf_hold_publish(struct wt_perf_hold *hold, uint64_t begin, uint64_t end, uint64_t bytes);
/** Releases everything before pos, which took `bytes`. */
void wt_perf_hold_release(struct wt_perf_hold *hold, uint64_t pos, uint64_t bytes);

#endif
