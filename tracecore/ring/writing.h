/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Inside the writer: one ring as a writer holds it for the length of a call, and the steps that CPU rings and
 * lanes share. Everything here is async-signal-safe.
 *
 * The two kinds differ in how a step stores: on a CPU ring in a section, and only while the state it was
 * computed from still stands; in a lane, which has one writer, it simply stores.
 */
#ifndef TRACECORE_RING_WRITING_H
#define TRACECORE_RING_WRITING_H

#include <stdbool.h>

#include "tracecore/ring/ring.h"
#include "tracecore/ring/section.h"
#include "tracecore/ring/standing.h"

/** Largest record written in a section, bytes; larger ones take a lane. A long section is interrupted more
 * often. */
#define WT_RING_SECTION_MAX 2048u

/** What all rings of one kind in a writer have in common. */
struct wt_ring_shape {
	uint32_t block_bytes, max_blocks;
	uint32_t data; /**< offset of the first block */
	uint8_t counter;
};

/** A session's CPU rings. */
static inline struct wt_ring_shape wt_ring_shape_of(const struct wt_ring_spec *spec)
{
	return (struct wt_ring_shape){.block_bytes = spec->block_bytes,
				      .max_blocks = spec->max_blocks,
				      .data = wt_abi_ring_data(spec->max_blocks),
				      .counter = spec->counter};
}

struct wt_writing {
	const struct wt_ring_shape *shape;
	struct wt_abi_ring *ring; /**< mapped */
	struct wt_rseq *rseq;     /**< NULL: a lane */
	uint32_t cpu;
	uint32_t prepared;            /**< slots that got memory before they were used for the first time */
	struct wt_patience *patience; /**< with blocks that could not have memory */
};

/** Where a record goes: dst, and the heads before and after it. */
struct wt_reservation {
	uint8_t *dst;
	uint64_t expect, commit;
};

/** Bytes of one ring with all its blocks. */
static inline uint64_t wt_shape_bytes(const struct wt_ring_shape *shape)
{
	return shape->data + (uint64_t)shape->max_blocks * shape->block_bytes;
}

static inline uint8_t *wt_shape_block(const struct wt_ring_shape *shape, struct wt_abi_ring *ring,
				      uint32_t slot)
{
	return (uint8_t *)ring + shape->data + (size_t)slot * shape->block_bytes;
}

static inline uint64_t *wt_ring_slots(struct wt_abi_ring *ring)
{
	return (uint64_t *)((uint8_t *)ring + WT_ABI_RING_SLOTS);
}

static inline struct wt_abi_loss *wt_ring_losses(struct wt_abi_ring *ring)
{
	return (struct wt_abi_loss *)((uint8_t *)ring + WT_ABI_RING_LOSSES);
}

/** False for what no writer ever stored: a retired or damaged ring. */
static inline bool wt_head_ok(const struct wt_ring_shape *shape, uint64_t head)
{
	uint32_t offset = wt_abi_head_offset(head);

	return wt_abi_head_slot(head) < shape->max_blocks && offset >= sizeof(struct wt_abi_block) &&
	       offset <= shape->block_bytes && wt_abi_head_sequence(head) > 0;
}

/** The ring's clock now. */
uint64_t wt_ring_now(const struct wt_ring_shape *shape);

/** Finds room for size bytes behind `head` (its last read value), preparing the next block when the current
 * one has no room: *full is set when there is none. Whatever is prepared counts only with *ret's commit. */
enum wt_section_result wt_writing_reserve(const struct wt_writing *to, uint64_t head, uint32_t size,
					  bool *full, struct wt_reservation *ret);

/** Counts n losses of a provider. DONE: counted, once. */
enum wt_section_result wt_writing_loss(const struct wt_writing *to, uint32_t provider, uint8_t result,
				       uint64_t n, uint64_t tick);

#endif
