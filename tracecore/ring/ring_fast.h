/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The common case of a write, for inlining where events are emitted: a thread, a process and a CPU that are
 * known, room in the block, nobody between. Whatever else there is, ring_writer.c deals with.
 */
#ifndef TRACECORE_RING_RING_FAST_H
#define TRACECORE_RING_RING_FAST_H

#include <assert.h>

#include "tracecore/ring/lane.h"
#include "tracecore/ring/self.h"

struct wt_ring_writer {
	/* What an event reads. */
	struct wt_ring_shape shape;
	ptrdiff_t rseq_offset;
	uint64_t image;  /**< token of the process whose rings are mapped */
	uint32_t n_fast; /**< n_cpus if ticks are the CPU's counter; else 0 */
	uint32_t n_cpus; /**< 0: this process has no rseq */
	uint8_t per_process;
	uint8_t leave_missed; /**< the caller counts what has no ring */
	/* What its first one on a CPU reads. */
	uint64_t generation;
	uint8_t *window;
	uint64_t stride;
	struct wt_ring_dir dir;
	struct wt_lanes lanes;
	uint32_t retired;
	uint64_t
		uncounted; /**< losses without any ring to count them in: reported under WT_ABI_LOSS_OTHERS */
	struct wt_patience ring_patience;  /**< with rings that could not be had */
	struct wt_patience block_patience; /**< with blocks that could not have memory */
	uint32_t possible_cpus;
	struct wt_abi_ring *rings[]; /**< by CPU, in the window; NULL: not mapped yet */
				     /* Behind them wt_ring_prepared(). */
};

static_assert(offsetof(struct wt_ring_writer, generation) <= 64, "what an event reads: one line");

/** By CPU: so many slots of its ring got memory from this process when the ring was mapped. */
static inline uint8_t *wt_ring_prepared(struct wt_ring_writer *w)
{
	return (uint8_t *)(w->rings + w->possible_cpus);
}

/** What a writer says of its record, in a register each. */
struct wt_ring_head {
	uint32_t provider;
	uint32_t event_flags; /**< the event, and enum wt_abi_record_flag from bit 16 */
};

static inline struct wt_ring_head wt_ring_head_of(const struct wt_abi_record *head)
{
	return (struct wt_ring_head){.provider = head->provider,
				     .event_flags = head->event | (uint32_t)head->flags << 16};
}

/** A record's words; pid_tid must be right by now. size: of the record in the ring; len: without padding. */
static inline void wt_ring_fill(struct wt_section_record *record, struct wt_ring_head head, uint32_t size,
				uint32_t len, uint32_t cpu)
{
	record->size_provider = size | (uint64_t)head.provider << 32;
	record->event_cpu = (head.event_flags | (size - len) << 24) | (uint64_t)cpu << 32;
	record->pid_tid = wt_ring_self.pid_tid;
}

/** Where size bytes (at most a record's) go if the current block has room for them; NULL: it has not, or
 * `head` is what no writer stored. */
static inline uint8_t *wt_ring_room(const struct wt_ring_shape *shape, struct wt_abi_ring *ring,
				    uint64_t head, uint32_t size)
{
	const uint32_t first = sizeof(struct wt_abi_block) / 8;
	uint32_t at = wt_abi_head_offset(head) / 8, slot = wt_abi_head_slot(head);

	/* One comparison for both ends. */
	if (__builtin_expect(
		    at - first > shape->block_bytes / 8 - first - size / 8 || slot >= shape->max_blocks, 0))
		return NULL;
	return wt_shape_block(shape, ring, slot) + (size_t)at * 8;
}

/** Writes what wt_ring_write_fast has not: a thread, process, CPU or block may be new, or it takes a lane.
 * Returns enum wt_ring_result. */
int wt_ring_write_otherwise(struct wt_ring_writer *w, struct wt_ring_head head,
			    const struct wt_ring_piece *pieces, unsigned n_pieces, uint64_t len);

/** Written, or nothing has happened: then wt_ring_write_otherwise does it. token: wt_ring_token(). len: bytes
 * of the record, its header and all pieces. */
static inline __attribute__((always_inline)) bool wt_ring_write_fast(struct wt_ring_writer *w, uint64_t token,
								     struct wt_ring_head head,
								     const struct wt_ring_piece *pieces,
								     unsigned n_pieces, uint64_t len)
{
	struct wt_rseq *rseq = wt_section_rseq(w->rseq_offset);
	uint32_t cpu = __atomic_load_n(&rseq->cpu_id_start, __ATOMIC_RELAXED);
	uint32_t size = ((uint32_t)len + 7) & ~7u;

	if (__builtin_expect(cpu >= w->n_fast || len > WT_RING_SECTION_MAX || wt_ring_self.token != token ||
				     w->image != token,
			     0))
		return false;
	struct wt_abi_ring *ring = __atomic_load_n(&w->rings[cpu], __ATOMIC_ACQUIRE);

	if (__builtin_expect(!ring, 0))
		return false;
	uint64_t at = __atomic_load_n(&ring->head, __ATOMIC_RELAXED), commit = at + size / 8;
	uint8_t *dst = wt_ring_room(&w->shape, ring, at, size);
	struct wt_section_record record;
	enum wt_section_result result;

	if (__builtin_expect(!dst, 0))
		return false;
	wt_ring_fill(&record, head, size, (uint32_t)len, cpu);
	if (__builtin_constant_p(n_pieces) && n_pieces == 1) {
		result = wt_section_write_one(rseq, cpu, &ring->head, at, commit, dst, &record, pieces->p,
					      pieces->len);
	} else {
		record.tick = 0;
		record.piece = pieces;
		record.piece_end = pieces + n_pieces;
		result = wt_section_write(rseq, cpu, &ring->head, at, commit, dst, &record);
	}
	return result == WT_SECTION_DONE;
}

#endif
