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

#include "consumers/analysis/question.h"
#include "tracecore/base/out.h"

/** Writes the text of the events that a question selects, sorted by time. */
int wt_perf_script(struct wt_log_reader *log, const struct wt_question *ask, struct wt_listener listener,
		   struct wt_out *out, struct wt_err *err);

#endif
