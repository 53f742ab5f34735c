/* SPDX-License-Identifier: MIT */
/** @file Drops the oldest segments of a log that is being written, so that it stays below a size. One thread.
 */
#ifndef TRACECORE_LOGFMT_REWRITE_TRIM_H
#define TRACECORE_LOGFMT_REWRITE_TRIM_H

#include "tracecore/logfmt/write/writer.h"

/** The segments and events that a call of wt_log_trim has dropped. */
struct wt_log_trimmed {
	uint64_t segments, events;
	uint64_t kept_from; /**< time of the first event in the file now; 0 when it has none */
};

/** The parameters of wt_log_trim. */
struct wt_log_trimming {
	uint64_t keep; /**< the largest size of the file without the record, bytes; a larger current
			* segment exceeds it */
	int into;      /**< an empty file, open for reading and writing */
	int (*publish)(void *ctx, struct wt_err *err); /**< gives `into` the log's name */
	void *ctx;
	wt_log_tally_by *by; /**< chooses the events that are counted, and their names; NULL: all, by name */
};

/** Drops the oldest segments. The other segments are copied to `into`, after a record of everything that was
 * dropped so far, and `into` becomes the log under the log's descriptor. Before that, publish gives it the
 * log's name. Until publish has succeeded the old file is complete and nothing is changed. Everything must
 * be flushed. 0; 1: there was nothing to drop; -1 see err. */
int wt_log_trim(struct wt_log_writer *log, const struct wt_log_trimming *how, struct wt_log_trimmed *ret,
		struct wt_err *err);

#endif
