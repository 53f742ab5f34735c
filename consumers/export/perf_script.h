/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Events as the text that `perf script -F comm,pid,tid,cpu,time,period,event,ip,sym,symoff,dso` prints. Many
 * tools read it (stackcollapse-perf.pl, speedscope, Firefox Profiler):
 *
 *	COMM PID/TID [CPU] SECONDS: PERIOD EVENT:
 *		ADDRESS FUNCTION+0xOFFSET (MODULE)
 *		...
 *	(an empty line)
 *
 * SECONDS are of the session clock. ADDRESS is the frame's place in its file, or its distance from the load
 * address of the kernel: a log has no other address. A tracepoint is SUBSYSTEM:EVENT, any other event
 * PROVIDER:EVENT; both have no period, and their fields follow the colon. Events that perf does not print
 * either are left out: processes, threads, images, and the events of the recording about itself.
 */
#ifndef CONSUMERS_EXPORT_PERF_SCRIPT_H
#define CONSUMERS_EXPORT_PERF_SCRIPT_H

#include "consumers/analysis/filter.h"
#include "consumers/analysis/select.h"

/** The events to print, and the destination of their text. Everything is borrowed. */
struct wt_perf_script {
	struct wt_view_file *file;
	struct wt_view_select *select; /**< their kinds */
	struct wt_view_filter *filter; /**< sampled events are chosen one by one */
	struct wt_log_filter range;    /**< time and listener */
	struct wt_buf *out;            /**< the text of each event is appended */
	/** Called after each event; may take the text out of the buffer. -1 ends the script. */
	int (*flow)(void *ctx, struct wt_err *err);
	void *ctx;
};

/** Appends the text of the events that are chosen, sorted by time. */
int wt_perf_script(const struct wt_perf_script *chosen, struct wt_err *err);

#endif
