/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Stacks as text: what many stacks have in common is put into words once.
 *
 * A stack is its innermost frame and a chain of callers. Samples differ in the frame, far less in the chain:
 * the text of a chain is kept and copied when a stack ends in it again. Texts lie one behind the other in a
 * ring, a chain's callers are the end of its own text; the oldest are overwritten, and a chain that is gone
 * is put into words anew. So memory is bounded, whatever the log, and what is printed does not depend on what
 * was kept.
 *
 * Zeroed is a valid empty one; nothing is allocated before a stack is put. One kind of words each: of one
 * format, of one view. One thread.
 */
#ifndef CONSUMERS_MODEL_CHAINS_H
#define CONSUMERS_MODEL_CHAINS_H

#include "consumers/model/file.h"

/** What is kept: bytes of text, and chains (20 MiB in all). */
enum { WT_CHAINS_BYTES = 16 << 20, WT_CHAINS_ROWS = 1 << 17 };

/** Appends the innermost frame of a stack of the segment; first: nothing of this stack is before it. Says the
 * same each time. */
typedef void wt_chains_words(void *ctx, struct wt_view_segment *segment, uint32_t stack, bool first,
			     struct wt_buf *out);

struct wt_chains {
	struct wt_chain *rows; /**< by hash of the chain; owned */
	uint8_t *bytes;        /**< the ring; owned */
	uint64_t written;      /**< to the ring so far */
	struct wt_chain_mark {
		uint32_t stack, frames; /**< the chain, and frames before it */
		size_t at;              /**< in the output */
	} * marks;                      /**< of the stack in hand; owned */
};

/** Appends all frames of a stack, innermost first, at most WT_MAX_FRAMES; nothing for a stack the segment
 * lacks. Names must have been resolved. */
int wt_chains_put(struct wt_chains *chains, const struct wt_view_file *file, struct wt_view_segment *segment,
		  uint32_t stack, wt_chains_words *words, void *ctx, struct wt_buf *out, struct wt_err *err);
/** Event i is about to be printed: asks for the memory that those soon behind it in the batch will need. */
void wt_chains_expect(const struct wt_log_batch *batch, uint32_t i);
void wt_chains_deinit(struct wt_chains *chains);

#endif
