/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What the program on sampling events copied of a stack (bpf/sample.h), joined to its sample.
 *
 * The pieces lie in the ring directly in front of the sample. They are the sample's only when nothing lies
 * between, the first is number 0, none is missing, the last says so, and thread, stack pointer, registers
 * (their hash) and time are the sample's, and where both were copied the bytes too. Anything else is left
 * unjoined: the sample is then as cut as it was. The bytes are those of a ring, and may be anything. Not
 * thread-safe.
 */
#ifndef PROVIDERS_PERF_COPY_H
#define PROVIDERS_PERF_COPY_H

#include "providers/perf/bpf/sample.h"
#include "providers/perf/record.h"
#include "tracecore/event.h"

/** Stretches of one stack without anything unreadable in them; what is behind the last is left out. */
#define WT_PERF_COPY_PARTS 64
/** ns between a piece and its sample at most: one interrupt. */
#define WT_PERF_COPY_NEAR 100000000

/** Zeroed is an empty one. */
struct wt_perf_copy {
	uint8_t *bytes; /**< owned; WT_BPF_COPY_MOST; NULL until it is needed */
	uint32_t used;
	struct wt_stack_part parts[WT_PERF_COPY_PARTS];
	uint32_t n_parts;
	bool open;           /**< pieces were taken, and no record that is not theirs came since */
	bool whole;          /**< the last one was among them */
	uint32_t number;     /**< of the next piece */
	uint64_t start, end; /**< their positions in the ring */
	uint64_t sp, regs, time;
	uint32_t pid, tid;
};

void wt_perf_copy_deinit(struct wt_perf_copy *copy);
/** Takes a record of the event "bpf-output", which lies from start to end in the ring. */
void wt_perf_copy_take(struct wt_perf_copy *copy, const struct wt_perf_record *record, uint64_t start,
		       uint64_t end);
/** Forgets the pieces: another record came. */
static inline void wt_perf_copy_drop(struct wt_perf_copy *copy)
{
	copy->open = copy->whole = false;
	copy->used = copy->n_parts = 0;
}

/** Gives the pieces to the sample that begins at `start`, when they are its own: dump->parts, good until the
 * next take or drop. dump has the rest already. False: they are not; forgotten. */
bool wt_perf_copy_join(struct wt_perf_copy *copy, const struct wt_perf_record *record, uint64_t start,
		       struct wt_stack_dump *dump);

#endif
