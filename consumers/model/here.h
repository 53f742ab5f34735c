/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Names that a log lacks, from this machine's files, where these are proved to be the mapped ones.
 */
#ifndef CONSUMERS_MODEL_HERE_H
#define CONSUMERS_MODEL_HERE_H

#include "consumers/symbols/symbols.h"

/** Zeroed, with lines and inlines as wanted: nothing was looked up yet. One thread. */
struct wt_here {
	bool lines;                     /**< source lines, too */
	bool inlines;                   /**< and inlined functions */
	wt_symbols_watched_fn *watched; /**< as in struct wt_symbols_options */
	void *watched_ctx;
	struct wt_symbols *symbols; /**< NULL until needed */
};

/** From now on frames are of that segment. */
int wt_here_enter(struct wt_here *here, const struct wt_log_segment *tables, struct wt_err *err);
/** Returns the symbols of n frames of one image: the log's, completed from this machine. The strings live
 * until the next call. */
int wt_here_look_up(struct wt_here *here, const struct wt_log_segment *tables, const uint32_t *frames,
		    uint32_t n, struct wt_log_symbol *ret, struct wt_err *err);
void wt_here_deinit(struct wt_here *here);

#endif
