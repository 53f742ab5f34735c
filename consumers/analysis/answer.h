/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The answer to a question about a log: which rows and columns it takes, the scans that fill them, and the
 * finished tables.
 *
 * A zeroed answer with a question can be opened. What the question leaves open is decided by the log: keys,
 * columns, their order, the events that are counted.
 */
#ifndef CONSUMERS_ANALYSIS_ANSWER_H
#define CONSUMERS_ANALYSIS_ANSWER_H

#include "consumers/analysis/counter.h"
#include "consumers/analysis/histogram.h"
#include "consumers/analysis/missing.h"
#include "consumers/analysis/question.h"
#include "consumers/analysis/region_rows.h"
#include "consumers/analysis/wait_rows.h"

struct wt_answer {
	const struct wt_question *ask; /**< borrowed */
	/** For the log of a running session (struct wt_view_options); NULL: the log need not grow. */
	wt_symbols_watched_fn *watched;
	void *watched_ctx;
	struct wt_log_reader *log; /**< owned, as is what follows */
	struct wt_view_counter counter;
	struct wt_region_rows rows;
	struct wt_wait_rows waits;          /**< of a question about waits */
	struct wt_view_missing missing;     /**< of a question about missing names */
	struct wt_view_histogram histogram; /**< of a question about a distribution */
	bool by_region;                     /**< rows are counted, not events */
	bool samples;                       /**< the log has some */
};

/** Opens the log and prepares everything for the question. WT_ERR_USAGE: the question does not fit the log;
 * `shown` as in wt_question_filter. Undo with wt_answer_close, also after a failure. */
int wt_answer_open(struct wt_answer *answer, const char *path, struct wt_buf *shown, struct wt_err *err);
/** Reads and counts. threads as in struct wt_view_crew. */
int wt_answer_count(struct wt_answer *answer, uint32_t threads, struct wt_listener listener,
		    struct wt_err *err);
void wt_answer_close(struct wt_answer *answer);

#endif
