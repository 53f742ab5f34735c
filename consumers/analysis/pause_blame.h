/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Who and what a pause is to be blamed on: the segments of its path added up. Lengths add up to the stretch
 * in nanoseconds, shares to 100.00 %.
 */
#ifndef CONSUMERS_ANALYSIS_PAUSE_BLAME_H
#define CONSUMERS_ANALYSIS_PAUSE_BLAME_H

#include "consumers/analysis/pause_path.h"

/** All of a stretch, in shares. */
#define WT_PAUSE_ALL 10000

struct wt_pause_blame {
	uint32_t tid, by; /**< as in the segments */
	uint8_t state, cause;
	uint64_t length;
	uint64_t segments;
	uint32_t share; /**< of WT_PAUSE_ALL, rounded so that all add up to it */
};

/** Adds up the path of the last walk, the most first. *ret is owned by the caller. -1: memory. */
int wt_pause_blame(const struct wt_pause_path *path, struct wt_pause_blame **ret, uint32_t *n,
		   struct wt_err *err);

#endif
