/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Makes a log of the events of another log that pass a filter, with the rows that they need. The
 * recording's events about itself stay; losses and blind spans stay if they touch the time range.
 */
#ifndef CONSUMERS_RELOG_SIFT_H
#define CONSUMERS_RELOG_SIFT_H

#include "consumers/analysis/filter.h"
#include "consumers/analysis/select.h"
#include "tracecore/logfmt/rewrite/copy.h"

/** All is borrowed. */
struct wt_sift {
	struct wt_log_reader *log;
	struct wt_view_file *file; /**< over log; NULL: the log is copied as it is, without damaged blocks */
	struct wt_view_select *select; /**< with a file: the kinds that pass */
	struct wt_view_filter *filter; /**< and the events */
	struct wt_view_filter *pids;   /**< events must pass this filter too, if it has an expression */
	uint64_t from, to;             /**< session time; to 0: no end */
	bool drop_stacks;              /**< samples keep their innermost frame */
	struct wt_listener listener;
};

/** Writes the log to an empty regular file. *events: its number of events. */
int wt_sift_write(const struct wt_sift *sift, int fd, uint64_t *events, struct wt_err *err);

#endif
