/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Stacks as text, where the text of common callers is made once.
 *
 * A stack is its innermost frame and a chain of callers. Samples differ often in the frame, far less in the
 * chain. The text of a chain is kept and copied when another stack ends in that chain. Texts lie one behind
 * the other in a ring, and a chain's callers are the end of its own text. The oldest texts are overwritten,
 * and the text of an overwritten chain is made anew. So memory is bounded for any log, and the output does
 * not depend on the kept texts.
 *
 * Zeroed is a valid empty one; nothing is allocated before a stack is put. One object serves one format of
 * one view. One thread.
 */
#ifndef CONSUMERS_MODEL_CHAINS_H
#define CONSUMERS_MODEL_CHAINS_H

#include "consumers/model/file.h"

/** Limits: bytes of text, and chains (20 MiB in all). */
enum { WT_CHAINS_BYTES = 16 << 20, WT_CHAINS_ROWS = 1 << 17 };

/** Appends the innermost frame of a stack of the segment; first: it is the first of its stack. Must append
 * the same text each time. */
typedef void wt_chains_words(void *ctx, struct wt_view_segment *segment, uint32_t stack, bool first,
			     struct wt_buf *out);

struct wt_chains {
	struct wt_chain *rows; /**< by hash of the chain; owned */
	uint8_t *bytes;        /**< the ring; owned */
	uint64_t written;      /**< bytes written to the ring so far */
	struct wt_chain_mark {
		uint32_t stack, frames; /**< the chain, and the number of frames before it */
		size_t at;              /**< in the output */
	} * marks;                      /**< of the present stack; owned */
};

/** Appends all frames of a stack, innermost first, at most WT_MAX_FRAMES; nothing for a stack that the
 * segment lacks. Names must have been resolved. */
int wt_chains_put(struct wt_chains *chains, const struct wt_view_file *file, struct wt_view_segment *segment,
		  uint32_t stack, wt_chains_words *words, void *ctx, struct wt_buf *out, struct wt_err *err);
/** Call before event i is printed: prefetches the memory for events soon after it in the batch. */
void wt_chains_expect(const struct wt_log_batch *batch, uint32_t i);
void wt_chains_deinit(struct wt_chains *chains);

#endif
