/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Restartable sections (rseq), which RING.md section 4 requires of each architecture.
 *
 * There are two sections. In both, either everything up to and including the last store, which commits,
 * happens on CPU `cpu` without an interrupt; or that store does not happen.
 *
 *   wt_section_write   if (closed) CLOSED; if (head != expect) CHANGED; copy the record; head = commit
 *   wt_section_store   if (closed) CLOSED; if (*word != expect) CHANGED; *to = value
 *
 * The thread's rseq_cs is cleared after each section, so that the library's code may be unmapped by dlclose
 * as soon as no thread is inside a call. No other field of struct rseq is written.
 */
#ifndef TRACECORE_RING_SECTION_H
#define TRACECORE_RING_SECTION_H

#include <stddef.h>
#include <stdint.h>

#include "tracecore/ring/inject.h"
#include "tracecore/ring/ring.h"

enum wt_section_result {
	WT_SECTION_DONE,
	WT_SECTION_ABORTED, /**< interrupted, or not on that CPU, or the thread has no rseq */
	WT_SECTION_CHANGED, /**< another writer was faster */
	WT_SECTION_CLOSED,
};

/** The start of struct rseq, which the kernel and libc share with this library. */
struct wt_rseq {
	uint32_t cpu_id_start;
	uint32_t cpu_id;
	uint64_t rseq_cs;
};

/** The input of the write section. The assembler text depends on the offsets. */
struct wt_section_record {
	uint64_t size_provider; /**< the words of struct wt_abi_record */
	uint64_t event_cpu;
	uint64_t tick; /**< 0: the section reads the counter */
	uint64_t pid_tid;
	const struct wt_ring_piece *piece, *piece_end;
};

static_assert(offsetof(struct wt_section_record, tick) == 16, "the section's text");
static_assert(offsetof(struct wt_section_record, piece) == 32, "the section's text");
static_assert(offsetof(struct wt_section_record, piece_end) == 40, "the section's text");
static_assert(offsetof(struct wt_ring_piece, len) == 8, "the section's text");
static_assert(sizeof(struct wt_ring_piece) == 16, "the section's text");
static_assert(offsetof(struct wt_abi_ring, closed) == offsetof(struct wt_abi_ring, head) + 8,
	      "the section's text");

#include "tracecore/ring/section_aarch64.h"
#include "tracecore/ring/section_x86_64.h"

#endif
