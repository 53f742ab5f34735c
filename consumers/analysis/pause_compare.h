/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What one pause has more than another one, by reason. Reasons are made of words, because numbers of threads
 * and stacks differ between logs. The lengths of each pause add up to it, and the differences to the
 * difference of the two, in nanoseconds.
 */
#ifndef CONSUMERS_ANALYSIS_PAUSE_COMPARE_H
#define CONSUMERS_ANALYSIS_PAUSE_COMPARE_H

#include "tracecore/base/err.h"
#include "tracecore/base/intern.h"

/** No word. */
#define WT_PAUSE_NO_WORD UINT32_MAX

/** Words are ids of wt_pause_compare.words. */
struct wt_pause_reason {
	uint8_t state, cause; /**< as in the segments */
	uint8_t kind;         /**< enum wt_wait_kind: of the wait in `function` */
	bool itself;          /**< the thread of the pause; then `name` is WT_PAUSE_NO_WORD */
	uint32_t name;        /**< of the thread */
	uint32_t by;          /**< name of the thread that had the CPU */
	/** Where it waited; of a thread that ran, or was ready, before it woke one: where that one waited. */
	uint32_t function;
};

struct wt_pause_more {
	struct wt_pause_reason reason;
	uint64_t length[2], segments[2]; /**< in the first pause and in the other one */
};

/** Zeroed; both pauses are added, then settled once. */
struct wt_pause_compare {
	struct wt_strings words;
	struct wt_pause_more *rows; /**< owned; after settle: most more first */
	uint32_t n, cap;
	struct wt_pause_more all; /**< the sums; its reason says nothing */
};

/** Adds a segment of a pause; side: 0 or 1. -1: memory. */
int wt_pause_compare_add(struct wt_pause_compare *compare, int side, const struct wt_pause_reason *reason,
			 uint64_t length, struct wt_err *err);
/** Makes one row of each reason. */
void wt_pause_compare_settle(struct wt_pause_compare *compare);
void wt_pause_compare_deinit(struct wt_pause_compare *compare);

/** What the first pause has more, in ns; less than 0: the other one has more. */
static inline int64_t wt_pause_more_by(const struct wt_pause_more *row)
{
	return (int64_t)(row->length[0] - row->length[1]);
}

#endif
