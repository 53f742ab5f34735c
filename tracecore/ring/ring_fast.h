/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The common case of a write, inlined where events are emitted: thread, process and CPU are known, the
 * block has room, and nothing interrupts the write. ring_writer.c handles all other cases.
 */
#ifndef TRACECORE_RING_RING_FAST_H
#define TRACECORE_RING_RING_FAST_H

#include <assert.h>

#include "tracecore/ring/lane.h"
#include "tracecore/ring/self.h"

struct wt_ring_writer {
	/* An event reads these. */
	struct wt_ring_shape shape;
	ptrdiff_t rseq_offset;
	uint64_t image;  /**< token of the process whose rings are mapped */
	uint32_t n_fast; /**< n_cpus if ticks are the CPU's counter; else 0 */
	uint32_t n_cpus; /**< 0: this process has no rseq */
	uint8_t per_process;
	uint8_t leave_missed; /**< the caller counts events that have no ring */
	/* The first event on a CPU also reads these. */
	uint64_t generation;
	uint8_t *window;
	uint64_t stride;
	struct wt_ring_dir dir;
	struct wt_lanes lanes;
	uint32_t retired;
	uint64_t uncounted; /**< losses that no ring could count: reported under WT_ABI_LOSS_OTHERS */
	struct wt_patience ring_patience;  /**< for rings that could not be had */
	struct wt_patience block_patience; /**< for blocks that could not get memory */
	uint32_t possible_cpus;
	struct wt_abi_ring *rings[]; /**< by CPU, in the window; NULL: not mapped yet */
				     /* Behind them wt_ring_prepared(). */
};

static_assert(offsetof(struct wt_ring_writer, generation) <= 64, "what an event reads: one line");

/** By CPU: the number of slots of its ring that got memory from this process when the ring was mapped. */
static inline uint8_t *wt_ring_prepared(struct wt_ring_writer *w)
{
	return (uint8_t *)(w->rings + w->possible_cpus);
}

/** The caller's part of a record's header, one register for each word. */
struct wt_ring_head {
	uint32_t provider;
	uint32_t event_flags; /**< the event, and enum wt_abi_record_flag from bit 16 */
};

static inline struct wt_ring_head wt_ring_head_of(const struct wt_abi_record *head)
{
	return (struct wt_ring_head){.provider = head->provider,
				     .event_flags = head->event | (uint32_t)head->flags << 16};
}

/** The words of a record. pid_tid must be right by now. size: of the record in the ring; len: without
 * padding. */
static inline void wt_ring_fill(struct wt_section_record *record, struct wt_ring_head head, uint32_t size,
				uint32_t len, uint32_t cpu)
{
	record->size_provider = size | (uint64_t)head.provider << 32;
	record->event_cpu = (head.event_flags | (size - len) << 24) | (uint64_t)cpu << 32;
	record->pid_tid = wt_ring_self.pid_tid;
}

/** Returns the place for size bytes (at most a record's) if the current block has room for them. NULL: it
 * has no room, or no writer stored the value `head`. */
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

/** Writes a record that wt_ring_write_fast did not write: the thread, process, CPU or block may be new, or
 * the record takes a lane. Returns enum wt_ring_result. */
int wt_ring_write_otherwise(struct wt_ring_writer *w, struct wt_ring_head head,
			    const struct wt_ring_piece *pieces, unsigned n_pieces, uint64_t len);

/** True: the record is written. False: nothing was done, and wt_ring_write_otherwise must write it. token:
 * wt_ring_token(). len: bytes of the record with its header and all pieces. */
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
