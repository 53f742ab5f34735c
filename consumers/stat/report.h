/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The way of results to standard output or into a file, at once (a timeline) or at the end (repeats).
 */
#ifndef CONSUMERS_STAT_REPORT_H
#define CONSUMERS_STAT_REPORT_H

#include "consumers/stat/found.h"
#include "consumers/stat/timeline.h"

struct wt_stat_report {
	const struct wt_stat_args *args;
	const struct wt_stat_plan *plan;
	/** The tables for people, and what writes to standard output. */
	void (*text)(const struct wt_stat_found *found, struct wt_buf *out);
	int (*print)(const struct wt_buf *text, struct wt_err *err);
	struct wt_count_result *kept; /**< owned; of repeats */
	size_t n_kept;
	struct wt_timeline timeline;
	struct wt_buf out;
	int fd;     /**< a file in place of standard output; -1: none */
	bool shown; /**< something was printed */
};

/** Opens the output, so that this fails before anything is counted. */
int wt_stat_report_begin(struct wt_stat_report *report, struct wt_err *err);
/** For wt_count_drive; ctx is the report. */
int wt_stat_report_take(void *ctx, const struct wt_counting *counting, struct wt_count_result *result,
			double time, struct wt_err *err);
int wt_stat_report_end(struct wt_stat_report *report, struct wt_err *err);
void wt_stat_report_deinit(struct wt_stat_report *report);

#endif
