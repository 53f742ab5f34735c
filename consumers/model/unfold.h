/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Inlined functions as frames: tables of a segment in which the functions inlined at an address stand in
 * stacks like other callers.
 *
 * A frame with a chain of inlined functions becomes one frame for each of them and one for the function that
 * they were inlined into, all with one image and offset. A stack through the frame goes through all of
 * these. Stacks keep their ids: the id of a stack whose innermost frame was unfolded names its innermost
 * inlined function, and the frames behind have ids beyond those of the log. So a caller's id may be larger
 * than its callee's; a walk along callers still ends.
 *
 * An inlined function is marked: its name ends in WT_UNFOLDED_MARK. Its file and line are the place of its
 * code: for the innermost function that of the address, for the others that of the call within it.
 */
#ifndef CONSUMERS_MODEL_UNFOLD_H
#define CONSUMERS_MODEL_UNFOLD_H

#include "tracecore/logfmt/read/reader.h"

#define WT_UNFOLDED_MARK " (inlined)"

/** Zeroed is none. */
struct wt_unfolded {
	struct wt_log_segment segment; /**< like the log's, with frames, symbols and stacks of its own */
	struct wt_log_frame *frames;   /**< owned, as all below */
	struct wt_log_symbol *symbols;
	struct wt_log_stack *stacks;
	uint32_t *outer; /**< by frame beyond those of the log: the frame it was unfolded from */
	char *names;
	bool cut; /**< there was more than can be unfolded: the rest is as in the log */
};

/** Unfolds the tables, which must outlive *ret. False with an empty *ret: there is nothing to unfold. When
 * memory is out, err is set, and *failed. */
bool wt_unfold(const struct wt_log_segment *tables, struct wt_unfolded *ret, bool *failed,
	       struct wt_err *err);
void wt_unfolded_deinit(struct wt_unfolded *unfolded);

#endif
