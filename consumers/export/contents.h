/* SPDX-License-Identifier: MIT */
/** @file The contents of a log: how many events and bytes there are of each kind, what is lost, and all of
 * this as JSON. */
#ifndef CONSUMERS_EXPORT_CONTENTS_H
#define CONSUMERS_EXPORT_CONTENTS_H

#include "consumers/analysis/facts.h"
#include "tracecore/base/json.h"
#include "tracecore/logfmt/read/census.h"

/** Zeroed is empty. */
struct wt_contents {
	const char *path; /**< borrowed */
	struct wt_log_reader *log;
	struct wt_view_file file;
	struct wt_view_facts facts;
	struct wt_log_census census;
};

/** Undo with wt_contents_deinit, also after a failure. */
int wt_contents_read(struct wt_contents *ret, const char *path, struct wt_err *err);
void wt_contents_deinit(struct wt_contents *contents);

/** Seconds from the first event to the last one. */
double wt_contents_span(const struct wt_contents *contents);
/** The events of a line that are known to be lost, over all causes; 0 for other lines. The loss of a ring
 * with several events has no event's name. */
uint64_t wt_contents_lost(const struct wt_contents *contents, const struct wt_log_census_line *line);
void wt_contents_json(const struct wt_contents *contents, struct wt_buf *out);

/** The result of wt_log_verify as JSON. log NULL: `failure` says why it cannot be read. */
void wt_verified_json(const char *path, const struct wt_log_reader *log, const char *failure,
		      struct wt_buf *out);

#endif
