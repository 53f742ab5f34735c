/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Joins the pieces of a stack that the program on sampling events copied (bpf/sample.h) to their sample.
 *
 * The pieces lie in the ring directly in front of the sample. They belong to the sample only under these
 * conditions: no other record lies between, the first has number 0, none is missing, the last is marked as
 * last, thread, stack pointer, registers (their hash) and time are the sample's, and bytes in both copies
 * are equal. Other pieces are not joined, and the sample stays cut. The bytes come from a ring and may be
 * arbitrary. Not thread-safe.
 */
#ifndef PROVIDERS_PERF_COPY_H
#define PROVIDERS_PERF_COPY_H

#include "providers/perf/bpf/sample.h"
#include "providers/perf/record.h"
#include "tracecore/event.h"

/** Most stretches of one stack without unreadable pages inside; the rest behind the last is left out. */
#define WT_PERF_COPY_PARTS 64
/** Most ns between a piece and its sample: one interrupt. */
#define WT_PERF_COPY_NEAR 100000000

/** Zeroed is an empty one. */
struct wt_perf_copy {
	uint8_t *bytes; /**< owned; WT_BPF_COPY_MOST; NULL until it is needed */
	uint32_t used;
	struct wt_stack_part parts[WT_PERF_COPY_PARTS];
	uint32_t n_parts;
	bool open;           /**< pieces were taken, and no other record has come since */
	bool whole;          /**< the last one was among them */
	bool changing;       /**< it says that the registers are being changed */
	uint32_t number;     /**< number of the next piece */
	uint64_t start, end; /**< positions of the pieces in the ring */
	uint64_t sp, regs, time;
	uint32_t pid, tid;
};

void wt_perf_copy_deinit(struct wt_perf_copy *copy);
/** Takes a record of the event "bpf-output" that lies from start to end in the ring. */
void wt_perf_copy_take(struct wt_perf_copy *copy, const struct wt_perf_record *record, uint64_t start,
		       uint64_t end);
/** Forgets the pieces, because another record came. */
static inline void wt_perf_copy_drop(struct wt_perf_copy *copy)
{
	copy->open = copy->whole = false;
	copy->used = copy->n_parts = 0;
}

/** Gives the pieces to the sample that begins at `start` if they belong to it: dump->parts, valid until the
 * next take or drop. The rest of dump is filled already. False: they do not belong to it and are
 * forgotten. */
bool wt_perf_copy_join(struct wt_perf_copy *copy, const struct wt_perf_record *record, uint64_t start,
		       struct wt_stack_dump *dump);

#endif
