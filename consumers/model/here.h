/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Names that a log lacks, from this machine's files, where they are proved to be those that were mapped.
 */
#ifndef CONSUMERS_MODEL_HERE_H
#define CONSUMERS_MODEL_HERE_H

#include "consumers/symbols/symbols.h"

/** Zeroed, with lines as wanted: nothing has been asked yet. One thread. */
struct wt_here {
	bool lines;                 /**< source lines, too */
	struct wt_symbols *symbols; /**< NULL until needed */
};

/** From now on frames are of that segment. */
int wt_here_enter(struct wt_here *here, const struct wt_log_segment *tables, struct wt_err *err);
/** The symbols of n frames of one image, the log's with what it lacks from here. The strings live until the
 * next call. */
int wt_here_look_up(struct wt_here *here, const struct wt_log_segment *tables, const uint32_t *frames,
		    uint32_t n, struct wt_log_symbol *ret, struct wt_err *err);
void wt_here_deinit(struct wt_here *here);

#endif
