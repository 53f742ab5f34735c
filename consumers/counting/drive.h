/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Performs a run and hands out its results: once at the end, or once for each count of a timeline.
 */
#ifndef CONSUMERS_COUNTING_DRIVE_H
#define CONSUMERS_COUNTING_DRIVE_H

#include "consumers/counting/result.h"

/** The run to perform. Nothing of it is owned. */
struct wt_count_job {
	const struct wt_cores *cores;
	const struct wt_count_list *list;
	const struct wt_metric_list *metrics;
	struct wt_counting_aim aim; /**< child is set by the run */
	enum wt_count_by by;
	char **command;    /**< counted; beside CPUs, these are counted while it runs; NULL: none */
	uint64_t length;   /**< ns of one count; UINT64_MAX: until the end */
	bool ends_command; /**< the command gets SIGTERM when the time is over */
	bool timeline;     /**< several counts, one after the other */
	uint64_t gap;      /**< ns between two counts */
	uint64_t n_counts; /**< 0: endless */
};

struct wt_count_drive {
	struct wt_count_job job;
	/** Called with each result, which the callee then owns. time: seconds from the start to the end of
	 * this count. A result other than 0 ends the run. */
	int (*take)(void *ctx, const struct wt_counting *counting, struct wt_count_result *result,
		    double time, struct wt_err *err);
	void *ctx;
	bool interrupted; /**< a signal ended it */
	int code;         /**< the exit status of the command, as a shell reports it; 0 without one */
};

/** Performs one run. SIGINT, SIGTERM and SIGHUP must be blocked (wt_workload_hold_signals); each of them
 * ends the run. -1: it failed; code is 127 when the command could not be run. */
int wt_count_drive(struct wt_count_drive *drive, struct wt_err *err);

#endif
