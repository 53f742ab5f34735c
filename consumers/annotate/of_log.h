/* SPDX-License-Identifier: MIT */
/** @file The annotation of a log: a question about its events, the scan that gathers their hits, the result.
 */
#ifndef CONSUMERS_ANNOTATE_OF_LOG_H
#define CONSUMERS_ANNOTATE_OF_LOG_H

#include "consumers/analysis/question.h"
#include "consumers/annotate/annotate.h"

/** Zeroed with the first members set it can be read. */
struct wt_annotated_log {
	struct wt_question ask;           /**< borrowed; its expression then includes the process */
	const char *process;              /**< pid or name of the only process; NULL: all */
	struct wt_annotate_choice choice; /**< no_resolve is that of the question */
	wt_symbols_watched_fn *watched;   /**< as in struct wt_answer */
	void *watched_ctx;
	struct wt_log_reader *log; /**< owned, as is what follows; NULL: it could not be opened */
	struct wt_view_counter counter;
	struct wt_annotate annotate;
	struct wt_annotation annotation;
	struct wt_buf where;
};

/** Opens the log at path and prepares the counter. `shown` as in wt_question_filter. Undo with
 * wt_annotated_log_deinit, also after a failure. */
int wt_annotated_log_open(struct wt_annotated_log *of, const char *path, struct wt_buf *shown,
			  struct wt_err *err);
/** Reads and counts, and makes the annotation. */
int wt_annotated_log_count(struct wt_annotated_log *of, struct wt_listener listener, struct wt_err *err);
void wt_annotated_log_deinit(struct wt_annotated_log *of);

#endif
