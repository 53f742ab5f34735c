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
#ifndef TOOLS_EXPORT_PERF_SCRIPT_H
#define TOOLS_EXPORT_PERF_SCRIPT_H

#include "tools/view/dump.h"
#include "consumers/analysis/filter.h"
#include "consumers/analysis/select.h"
#include "tools/view/out.h"

/** Writes the events chosen by select and sources within the filter's time, in the order of time. *events:
 * how many. */
int wt_perf_script(struct wt_view_file *file, struct wt_view_select *select, struct wt_view_filter *sources,
		   const struct wt_log_filter *range, struct wt_out *out, uint64_t *events,
		   struct wt_err *err);

#endif
