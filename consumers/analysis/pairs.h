/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Very many pairs of a 64-bit key and a 32-bit number in a fixed amount of memory: 12 bytes each.
 *
 * A caller with more pairs than there is room for goes through them several times, each time for one range
 * of keys. The range narrows by itself while pairs come: when the room is full they are sorted, equal ones
 * become one, and if that does not make enough room, the upper half of the keys is put off to a later pass.
 * So no pass is in vain, and there are about as many as the pairs need room. Keys should be evenly spread
 * (hashed).
 *
 * Single-threaded. The order of the pairs added does not change the result.
 */
#ifndef CONSUMERS_ANALYSIS_PAIRS_H
#define CONSUMERS_ANALYSIS_PAIRS_H

#include <stdbool.h>
#include <stdint.h>

#include "tracecore/base/err.h"

struct wt_view_pair {
	uint32_t high, low; /**< of the key */
	uint32_t with;
};
_Static_assert(sizeof(struct wt_view_pair) == 12, "there are millions");

enum wt_view_pairs_kind {
	WT_PAIRS_SET,   /**< the same pair counts once; a pass has all pairs of a key or none */
	WT_PAIRS_COUNT, /**< with is a count: those of the same key are added (two pairs remain where the sum
			   is beyond 32 bits); a pass has all keys with the same upper half or none */
};

struct wt_view_pairs {
	enum wt_view_pairs_kind kind;
	struct wt_view_pair *pairs; /**< owned */
	uint32_t n, room;
	uint64_t from, last; /**< keys of this pass */
};

/** For the first pass; room at least 2. Undo with wt_view_pairs_deinit, also after a failure. */
int wt_view_pairs_init(struct wt_view_pairs *pairs, enum wt_view_pairs_kind kind, uint32_t room,
		       struct wt_err *err);
void wt_view_pairs_deinit(struct wt_view_pairs *pairs);

/** Makes room when there is none left, which is also when a single key has too many pairs for it. */
int wt_view_pairs_make_room(struct wt_view_pairs *pairs, struct wt_err *err);

/** Adds a pair, or leaves it to a later pass. */
static inline int wt_view_pairs_add(struct wt_view_pairs *pairs, uint64_t key, uint32_t with,
				    struct wt_err *err)
{
	if (key < pairs->from || key > pairs->last)
		return 0;
	if (pairs->n == pairs->room) {
		if (wt_view_pairs_make_room(pairs, err))
			return -1;
		if (key > pairs->last)
			return 0;
	}
	pairs->pairs[pairs->n++] = (struct wt_view_pair){(uint32_t)(key >> 32), (uint32_t)key, with};
	return 0;
}

/** At the end of a pass: sorts by key, then by with, and makes equal pairs one. */
void wt_view_pairs_settle(struct wt_view_pairs *pairs);
/** After settle: empties it for the next pass. false: there is none. */
bool wt_view_pairs_next(struct wt_view_pairs *pairs);

#endif
