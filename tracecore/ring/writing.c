/* SPDX-License-Identifier: MIT */
#include "tracecore/ring/writing.h"

#include "tracecore/base/clock.h"
#include "tracecore/ring/room.h"

/* *target = value if *word is still expect: on a CPU ring in a section, in a lane by a plain store. */
static enum wt_section_result store(const struct wt_writing *to, const uint64_t *word, uint64_t expect,
				    uint64_t *target, uint64_t value)
{
	if (to->rseq)
		return wt_section_store(to->rseq, to->cpu, &to->ring->closed, word, expect, target, value);
	__atomic_store_n(target, value, __ATOMIC_RELEASE);
	return WT_SECTION_DONE;
}

uint64_t wt_ring_now(const struct wt_ring_shape *shape)
{
	return shape->counter ? wt_section_tick() : wt_clock_now();
}

/* A slot whose block number is above the head was prepared by a writer that did not commit. */
static bool is_free(const struct wt_writing *to, uint32_t slot, uint64_t tail, uint64_t sequence)
{
	uint64_t held = __atomic_load_n(&wt_ring_slots(to->ring)[slot], __ATOMIC_RELAXED);

	return held < tail || held > sequence;
}

/* B.3: the slot that the reader asks for, else the lowest free one. So a ring whose reader keeps up stays
 * in few, warm blocks. */
static uint32_t free_slot(const struct wt_writing *to, uint64_t sequence)
{
	uint32_t spare = __atomic_load_n(&to->ring->spare, __ATOMIC_RELAXED);
	/* Pairs with wt_ring_reader_release: a block is read before it is reused (P.2). */
	uint64_t tail = __atomic_load_n(&to->ring->tail, __ATOMIC_ACQUIRE);

	if (tail > sequence)
		tail = sequence;
	if (sequence - tail + 1 >= to->shape->max_blocks)
		return UINT32_MAX;
	if (spare && spare <= to->shape->max_blocks && is_free(to, spare - 1, tail, sequence))
		return spare - 1;
	for (uint32_t i = 0; i < to->shape->max_blocks; i++)
		if (is_free(to, i, tail, sequence))
			return i;
	return UINT32_MAX;
}

/* B.4: gets memory for the block or refuses, so that the traced program does not get a SIGBUS when tmpfs
 * is full. No call is needed for a block that was in use and never given back, or that the session keeps
 * ready. */
static bool block_has_memory(const struct wt_writing *to, uint32_t slot)
{
	uint64_t held = __atomic_load_n(&wt_ring_slots(to->ring)[slot], __ATOMIC_RELAXED);
	bool taken;

	/* Pairs with wt_ring_reader_ready(). */
	if (held > __atomic_load_n(&to->ring->holes, __ATOMIC_RELAXED) ||
	    slot < __atomic_load_n(&to->ring->ready, __ATOMIC_ACQUIRE) || (!held && slot < to->prepared))
		return true;
	if (!wt_may_take_memory() || !wt_patience_over(to->patience))
		return false;
	taken = wt_room_populate(wt_shape_block(to->shape, to->ring, slot), to->shape->block_bytes);
	wt_patience_note(to->patience, !taken);
	return taken;
}

#define TRY(call)                                       \
	do {                                            \
		enum wt_section_result tried_ = (call); \
		if (tried_ != WT_SECTION_DONE)          \
			return tried_;                  \
	} while (0)

/* Stores the new block's header and the old block's end. Nobody reads them before the commit. */
static enum wt_section_result prepare(const struct wt_writing *to, uint64_t head, uint32_t slot,
				      struct wt_abi_block *block)
{
	struct wt_abi_ring *ring = to->ring;
	struct wt_abi_block *old = (struct wt_abi_block *)wt_shape_block(to->shape, ring,
									 wt_abi_head_slot(head));
	uint64_t sequence = wt_abi_head_sequence(head) + 1;

	TRY(store(to, &ring->head, head, &wt_ring_slots(ring)[slot], sequence));
	WT_RING_INJECT(4);
	TRY(store(to, &ring->head, head, &block->sequence, sequence));
	TRY(store(to, &ring->head, head, &block->first, wt_ring_now(to->shape)));
	TRY(store(to, &ring->head, head, (uint64_t *)&block->end, 0));
	WT_RING_INJECT(5);
	TRY(store(to, &ring->head, head, (uint64_t *)&old->end,
		  wt_abi_head_offset(head) | (uint64_t)slot << 32));
	WT_RING_INJECT(6);
	return WT_SECTION_DONE;
}

static enum wt_section_result next_block(const struct wt_writing *to, uint64_t head, uint32_t size,
					 bool *full, struct wt_reservation *ret)
{
	uint64_t sequence = wt_abi_head_sequence(head);
	uint32_t slot = free_slot(to, sequence);

	if (slot == UINT32_MAX || !block_has_memory(to, slot)) {
		*full = true;
		return WT_SECTION_DONE;
	}
	struct wt_abi_block *block = (struct wt_abi_block *)wt_shape_block(to->shape, to->ring, slot);

	TRY(prepare(to, head, slot, block));
	uint32_t offset = sizeof(*block);

	if (offset + size > to->shape->block_bytes) {
		*full = true;
		return WT_SECTION_DONE;
	}
	*ret = (struct wt_reservation){.dst = (uint8_t *)block + offset,
				       .expect = head,
				       .commit = wt_abi_head(sequence + 1, slot, offset + size)};
	return WT_SECTION_DONE;
}

enum wt_section_result wt_writing_reserve(const struct wt_writing *to, uint64_t head, uint32_t size,
					  bool *full, struct wt_reservation *ret)
{
	uint32_t offset = wt_abi_head_offset(head);

	*full = false;
	if (!wt_head_ok(to->shape, head))
		return WT_SECTION_CLOSED;
	if (size > to->shape->block_bytes - offset)
		return next_block(to, head, size, full, ret);
	*ret = (struct wt_reservation){.dst = wt_shape_block(to->shape, to->ring, wt_abi_head_slot(head)) +
					      offset,
				       .expect = head,
				       .commit = head + size / 8};
	return WT_SECTION_DONE;
}

/* The provider's entry: an existing one, or the first free one. The last entries are for providers that
 * found none. */
static enum wt_section_result find_loss(const struct wt_writing *to, uint64_t key, struct wt_abi_loss **ret)
{
	struct wt_abi_loss *losses = wt_ring_losses(to->ring);
	unsigned i;

	for (i = 0; i < WT_ABI_LOSSES; i++) {
		if (i == WT_ABI_LOSSES - 8)
			key = (uint64_t)WT_ABI_LOSS_OTHERS << 8 | (key & 0xff);
		uint64_t seen = __atomic_load_n(&losses[i].key, __ATOMIC_RELAXED);

		if (!seen)
			TRY(store(to, &losses[i].key, 0, &losses[i].key, key));
		if (!seen || seen == key)
			break;
	}
	*ret = i < WT_ABI_LOSSES ? &losses[i] : &losses[WT_ABI_LOSSES - 1];
	return WT_SECTION_DONE;
}

enum wt_section_result wt_writing_loss(const struct wt_writing *to, uint32_t provider, uint8_t result,
				       uint64_t n, uint64_t tick)
{
	struct wt_abi_loss *loss;

	TRY(find_loss(to, (uint64_t)provider << 8 | result, &loss));
	uint64_t count = __atomic_load_n(&loss->count, __ATOMIC_RELAXED);

	if (!count)
		TRY(store(to, &loss->count, count, &loss->first, tick));
	WT_RING_INJECT(7);
	TRY(store(to, &loss->count, count, &loss->last, tick));
	WT_RING_INJECT(8);
	return store(to, &loss->count, count, &loss->count, count + n);
}
