/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Events as the text that `perf script -F comm,pid,tid,cpu,time,period,event,ip,sym,symoff,dso` prints, for
 *the many tools that read it (stackcollapse-perf.pl, speedscope, Firefox Profiler):
 *
 *	COMM PID/TID [CPU] SECONDS: PERIOD EVENT:
 *		ADDRESS FUNCTION+0xOFFSET (MODULE)
 *		...
 *	(an empty line)
 *
 * SECONDS are of the session clock. ADDRESS is where the frame lies in its file, or from where the kernel was
 * loaded: a log keeps no other. A tracepoint is SUBSYSTEM:EVENT, any other event PROVIDER:EVENT, both without
 * a period and with their fields behind the colon. Left out is what perf keeps to itself, too: processes,
 * threads, images, and what the recording says of itself.
 */
#ifndef CONSUMERS_EXPORT_PERF_SCRIPT_H
#define CONSUMERS_EXPORT_PERF_SCRIPT_H

#include "consumers/analysis/filter.h"
#include "consumers/analysis/select.h"

/** Which events, and where their text goes. All is borrowed. */
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
