/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The events of a log in time order, or its regions in the order of their ends, each as a line: those that a
 * question selects. A log that grows is read round by round.
 */
#ifndef CONSUMERS_EXPORT_DUMP_LOG_H
#define CONSUMERS_EXPORT_DUMP_LOG_H

#include "consumers/analysis/facts.h"
#include "consumers/analysis/question.h"
#include "consumers/analysis/region_rows.h"
#include "consumers/export/dump_csv.h"
#include "tracecore/base/out.h"

/** Zeroed with the first members set it can be opened. */
struct wt_dump_log {
	const struct wt_question *ask; /**< borrowed */
	enum wt_dump_form { WT_DUMP_TEXT, WT_DUMP_JSON, WT_DUMP_CSV } form;
	bool absolute, stack;           /**< as in struct wt_dump */
	wt_symbols_watched_fn *watched; /**< as in struct wt_answer */
	void *watched_ctx;
	struct wt_log_reader *log; /**< set by the caller before the first round; then owned */
	/* of a round; owned */
	struct wt_view_file file;
	struct wt_region_rows rows; /**< of a question about regions */
	struct wt_view_filter filter;
	struct wt_view_select select;
	struct wt_view_facts facts;
	struct wt_log_filter range;
	struct wt_dump dump;
	struct wt_dump_csv csv;
	/* of all rounds */
	uint64_t behind;        /**< blocks are new from this offset on... */
	uint32_t first_segment; /**< ...and the segment */
	uint64_t origin;        /**< of the first round */
};

/** Prepares a round. `shown` as in wt_question_filter. */
int wt_dump_log_open(struct wt_dump_log *all, struct wt_buf *shown, struct wt_err *err);
/** Writes the lines of the round. */
int wt_dump_log_put(struct wt_dump_log *all, struct wt_out *out, struct wt_err *err);
/** Ends a round. The next one skips what was written, and the tables of finished segments. */
void wt_dump_log_next(struct wt_dump_log *all);
void wt_dump_log_close(struct wt_dump_log *all);

#endif
