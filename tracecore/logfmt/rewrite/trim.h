/* SPDX-License-Identifier: MIT */
/** @file Drops the oldest segments of a log that is being written, so that it stays below a size. One thread.
 */
#ifndef TRACECORE_LOGFMT_REWRITE_TRIM_H
#define TRACECORE_LOGFMT_REWRITE_TRIM_H

#include "tracecore/logfmt/write/writer.h"

/** What a call of wt_log_trim has dropped. */
struct wt_log_trimmed {
	uint64_t segments, events;
	uint64_t kept_from; /**< time of the first event in the file now; 0 when it has none */
};

/** How wt_log_trim goes about it. */
struct wt_log_trimming {
	uint64_t keep; /**< bytes the file is to have at most, beside the record; more if the current
			    segment has */
	int into;      /**< an empty file, open for reading and writing */
	int (*publish)(void *ctx, struct wt_err *err); /**< gives `into` the log's name */
	void *ctx;
	wt_log_tally_by *by; /**< what is counted, and as what; NULL: all, by name */
};

/** Drops the oldest segments: what stays is copied to `into`, behind a record of all that was ever dropped,
 * and `into` becomes the log under the descriptor the log has. publish gives it the name before; until it has
 * succeeded the old file is whole, and nothing is changed. All must be flushed. 0; 1: there was nothing to
 * drop; -1 see err. */
int wt_log_trim(struct wt_log_writer *log, const struct wt_log_trimming *how, struct wt_log_trimmed *ret,
		struct wt_err *err);

#endif
