/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Lets a run go and hands out what it finds: once at the end, or once for each count of a timeline.
 */
#ifndef TOOLS_STAT_DRIVE_H
#define TOOLS_STAT_DRIVE_H

#include "tools/stat/args.h"
#include "tools/stat/show.h"
#include "consumers/session/workload.h"

struct wt_stat_drive {
	struct wt_stat_plan *plan;
	/** Called with each result, which is the callee's from then on; time: seconds since the start at its
	 * end. Not 0: the run ends. */
	int (*take)(void *ctx, const struct wt_counting *counting, struct wt_count_result *result,
		    double time, struct wt_err *err);
	void *ctx;
	bool interrupted; /**< a signal ended it */
	int code;         /**< what the command ended with, as a shell has it; 0 without one */
};

/** One run. -1: it failed; code is 127 when the command could not be run. */
int wt_stat_drive(struct wt_stat_drive *drive, struct wt_err *err);

#endif
