/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Inside the writer: a writer's view of one ring during a call, and the steps that CPU rings and lanes
 * share. Everything here is async-signal-safe.
 *
 * The two kinds differ in the stores of a step. On a CPU ring a step stores in a section, and only if the
 * state from which it was computed is unchanged. In a lane, which has one writer, it simply stores.
 */
#ifndef TRACECORE_RING_WRITING_H
#define TRACECORE_RING_WRITING_H

#include <stdbool.h>

#include "tracecore/ring/ring.h"
#include "tracecore/ring/section.h"
#include "tracecore/ring/standing.h"

/** Largest record written in a section, bytes. Larger ones take a lane, because a long section is
 * interrupted more often. */
#define WT_RING_SECTION_MAX 2048u

/** The facts that all rings of one kind share in a writer. */
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
	uint32_t prepared;            /**< slots that got memory before their first use */
	struct wt_patience *patience; /**< for blocks that could not get memory */
};

/** The place of a record: dst, and the head before and after it. */
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

/** False for a head that no writer stored: a retired or damaged ring. */
static inline bool wt_head_ok(const struct wt_ring_shape *shape, uint64_t head)
{
	uint32_t offset = wt_abi_head_offset(head);

	return wt_abi_head_slot(head) < shape->max_blocks && offset >= sizeof(struct wt_abi_block) &&
	       offset <= shape->block_bytes && wt_abi_head_sequence(head) > 0;
}

/** The ring's clock now. */
uint64_t wt_ring_now(const struct wt_ring_shape *shape);

/** Finds room for size bytes after `head` (its last read value). When the current block has no room it
 * prepares the next one; when there is none, it sets *full. The preparation takes effect only with the
 * commit of *ret. */
enum wt_section_result wt_writing_reserve(const struct wt_writing *to, uint64_t head, uint32_t size,
					  bool *full, struct wt_reservation *ret);

/** Counts n losses of a provider. DONE: they are counted exactly once. */
enum wt_section_result wt_writing_loss(const struct wt_writing *to, uint32_t provider, uint8_t result,
				       uint64_t n, uint64_t tick);

#endif
