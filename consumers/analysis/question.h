/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What is asked of a log, in the words of those who ask, and what the words mean for a file: its events, its
 * span of time. Texts are borrowed unless said otherwise; NULL: not given.
 */
#ifndef CONSUMERS_ANALYSIS_QUESTION_H
#define CONSUMERS_ANALYSIS_QUESTION_H

#include "consumers/analysis/region_set.h"
#include "consumers/analysis/select.h"

struct wt_question {
	/* which events */
	const char *where, *from, *to;
	char **events; /**< owned, and the list of the words */
	size_t n_events;
	struct wt_region_pairs pairs; /**< owned */
	bool no_self, proved;         /**< without the recorder's own; without callers that are not proved */
	bool no_resolve, no_inline;   /**< names in the log alone; no inlined functions */
	bool follow;                  /**< while the log grows */
	/* what of them: events, regions in their place, or turns of threads */
	bool regions, waits;
	const char *histogram; /**< the field whose values are distributed */
	bool missing;          /**< the names and stacks that are missing, in place of tables */
	/* the table */
	const char *group_by, *columns, *sort;
	const char *stack_order, *callers_of, *callees_of, *depth;
	bool inclusive, folded;
};

void wt_question_deinit(struct wt_question *ask);

/** Refuses what does not go together: regions or turns of threads with other demands. */
int wt_question_check(const struct wt_question *ask, struct wt_err *err);
/** Prepares filter and select. An error in the expression also shows its place, in two lines, in `shown`
 * (NULL: nowhere). */
int wt_question_filter(const struct wt_question *ask, struct wt_view_filter *filter,
		       struct wt_view_select *select, struct wt_buf *shown, struct wt_err *err);
/** True when regions are counted: with regions, or with a key, histogram or pair that requires them. */
bool wt_question_by_region(const struct wt_question *ask);
/** Extends an error about an unknown field of regions with how to request them. Returns -1. */
int wt_question_explain(struct wt_err *err);
/** Sets from and to of a log filter. */
int wt_question_range(const struct wt_question *ask, const struct wt_view_file *file,
		      struct wt_log_filter *ret, struct wt_err *err);

#endif
