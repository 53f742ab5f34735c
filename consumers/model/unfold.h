/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Inlined functions as frames: the tables of a segment in which what was inlined at an address stands in
 * stacks like any other caller.
 *
 * A frame with a chain of inlined functions becomes one frame for each of them and one for the function that
 * they were inlined into, all of the same image and offset; a stack through it goes through all of them.
 * Stacks keep their ids: the id of a stack whose innermost frame was unfolded names its innermost inlined
 * function, and what comes behind has ids beyond those of the log. So a caller's id may be larger than its
 * callee's; following callers still ends.
 *
 * An inlined function is marked: its name ends in WT_UNFOLDED_MARK. Its file and line are where its code is:
 * of the innermost those of the address, of the others those of the call within it.
 */
#ifndef CONSUMERS_MODEL_UNFOLD_H
#define CONSUMERS_MODEL_UNFOLD_H

#include "tracecore/logfmt/read/reader.h"

#define WT_UNFOLDED_MARK " (inlined)"

/** Zeroed is none. */
struct wt_unfolded {
	struct wt_log_segment segment; /**< as the log's, with frames, symbols and stacks of its own */
	struct wt_log_frame *frames;   /**< owned, as all below */
	struct wt_log_symbol *symbols;
	struct wt_log_stack *stacks;
	char *names;
	bool cut; /**< there was more than is unfolded: the others are as in the log */
};

/** Unfolds the tables, which must outlive *ret. False, and *ret is empty: there is nothing to unfold. err is
 * set, and *failed, when memory is out. */
bool wt_unfold(const struct wt_log_segment *tables, struct wt_unfolded *ret, bool *failed,
	       struct wt_err *err);
void wt_unfolded_deinit(struct wt_unfolded *unfolded);

#endif
