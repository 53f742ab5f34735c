/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Finds, among many streams, the one with the earliest element.
 *
 * A head is one number: the time, then the order of streams whose times are equal (unique), then the slot
 * where the stream is kept. Heads are the leaves of a tournament: every node holds the smaller of its two
 * children. A new head moves up from its leaf. The nodes on its way are known beforehand, and a comparison
 * needs no branch. With hundreds of streams whose elements come without a pattern, wrongly predicted
 * branches would be the main cost of sorting them.
 */
#ifndef TRACECORE_BASE_HEADS_H
#define TRACECORE_BASE_HEADS_H

#include <stdint.h>

__extension__ typedef unsigned __int128 wt_head;

/** An empty slot. */
#define WT_HEAD_NONE (~(wt_head)0)

/** Zeroed is a valid tournament without slots. */
struct wt_heads {
	wt_head *tree; /**< owned; tree[1] is the smallest head, tree[n_slots + i] the head in slot i */
	uint32_t n_slots;
};

/** Makes room for at least n slots; the new ones are empty. -1: no memory. */
int wt_heads_grow(struct wt_heads *heads, uint32_t n);
void wt_heads_deinit(struct wt_heads *heads);

static inline wt_head wt_head_make(uint64_t time, uint32_t order, uint32_t slot)
{
	return (wt_head)time << 64 | (uint64_t)order << 32 | slot;
}

static inline uint64_t wt_head_time(wt_head head)
{
	return (uint64_t)(head >> 64);
}

static inline uint32_t wt_head_order(wt_head head)
{
	return (uint32_t)(head >> 32);
}

static inline uint32_t wt_head_slot(wt_head head)
{
	return (uint32_t)head;
}

/** The smallest head; WT_HEAD_NONE: all slots are empty. There must be slots. */
static inline wt_head wt_heads_first(const struct wt_heads *heads)
{
	return heads->tree[1];
}

/** Fills a slot, or empties it with WT_HEAD_NONE. */
static inline void wt_heads_set(struct wt_heads *heads, uint32_t slot, wt_head head)
{
	wt_head *tree = heads->tree;

	for (uint32_t i = heads->n_slots + slot; i; i /= 2) {
		wt_head other = tree[i ^ 1];

		tree[i] = head;
		head = other < head ? other : head;
	}
}

#endif
