/* SPDX-License-Identifier: MIT */
/** @file A log that is asked about pauses, and the stretches in it that were asked for. */
#ifndef CONSUMERS_ANALYSIS_PAUSE_SOURCE_H
#define CONSUMERS_ANALYSIS_PAUSE_SOURCE_H

#include "consumers/analysis/pause_report.h"
#include "tracecore/base/progress.h"

/** What is asked for, in words; NULL: not given. */
struct wt_pause_choice {
	const char *thread, *from, *to, *mark, *region;
	bool other;    /**< the time is that of the --other- options; for messages */
	uint32_t most; /**< longest waits or regions to find; 0: the time is one stretch */
	bool resolve;  /**< names that the log lacks are looked for on this machine */
};

/** Zeroed but for the first part. */
struct wt_pause_source {
	const char *path;
	const struct wt_pause_choice *choice; /**< borrowed */

	struct wt_log_reader *log;
	struct wt_view_file file;
	struct wt_wait_rows waits;
	struct wt_pause_search search; /**< its stretches, at least one */
};

/** Opens the log and finds the stretches; close it, also after a failure. listener hears of the progress. */
int wt_pause_source_open(struct wt_pause_source *source, struct wt_listener listener, struct wt_err *err);
void wt_pause_source_close(struct wt_pause_source *source);

/** Works out stretch i of the source; close it, also after a failure. */
int wt_pause_report_open(struct wt_pause_report *report, struct wt_pause_source *source, uint32_t i,
			 struct wt_err *err);
void wt_pause_report_close(struct wt_pause_report *report);

#endif
