/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A finished aggregation as JSON, as CSV and as lines for flame graphs, with the facts that say how far it
 * can be trusted.
 *
 * Each form appends to a buffer and passes it to `wt_out` when it has grown. Names are hostile input: JSON
 * and CSV quote them.
 */
#ifndef CONSUMERS_EXPORT_VIEW_H
#define CONSUMERS_EXPORT_VIEW_H

#include "consumers/analysis/counter.h"
#include "consumers/analysis/histogram.h"
#include "consumers/analysis/missing.h"
#include "consumers/analysis/partial.h"
#include "consumers/analysis/question.h"
#include "consumers/analysis/region_rows.h"
#include "consumers/analysis/wait_rows.h"
#include "tracecore/base/json.h"
#include "tracecore/base/out.h"

struct wt_view_show {
	const char *path; /**< of the log, as given */
	const struct wt_view_agg *agg;
	const struct wt_view_facts *facts;
	const char *where;                      /**< NULL: none */
	const char *from, *to;                  /**< as given; NULL: none */
	struct wt_view_chosen events;           /**< words of --event */
	uint32_t top;                           /**< rows shown below each row; 0: all */
	uint32_t depth;                         /**< frames of a stack shown below the other keys; 0: all */
	const struct wt_region_counts *regions; /**< that were counted; NULL: events were counted */
	const struct wt_wait_rows *waits;       /**< whose turns were counted; NULL: others */
	const char *why_none;                   /**< text: the message if there is no row */
	bool news;                              /**< the rundown is not counted */
	bool no_self;
	bool proved;
	bool colour; /**< text: for a terminal */
};

/** Says what is shown: the counts of a counter, which a question about the log at path asked for. */
void wt_view_show_of(struct wt_view_show *show, const char *path, const struct wt_question *ask,
		     const struct wt_view_counter *counter);

int wt_view_json_out(const struct wt_view_show *show, struct wt_out *out, struct wt_err *err);
int wt_view_csv_out(const struct wt_view_show *show, struct wt_out *out, struct wt_err *err);
/** Stacks for flame graphs; without the header. WT_ERR_USAGE for columns and logs that do not fit one number.
 */
int wt_view_folded_out(const struct wt_view_show *show, struct wt_out *out, struct wt_err *err);

int wt_view_missing_json_out(const struct wt_view_show *show, const struct wt_view_missing *missing,
			     struct wt_out *out, struct wt_err *err);

int wt_view_histogram_json_out(const struct wt_view_show *show, const struct wt_view_histogram *histogram,
			       struct wt_out *out, struct wt_err *err);

/** Counts are shown by place, and are known only from reading. */
bool wt_view_is_estimate(const struct wt_view_show *show);
/** The number of modules with missing names that are shown. */
uint32_t wt_view_missing_shown(const struct wt_view_show *show, const struct wt_view_missing *missing);
/** The facts of the header as members of a JSON object. */
void wt_view_header_json(const struct wt_view_show *show, struct wt_json *json);
/** The member "damages": the damaged places whose text the reader keeps. */
void wt_damages_json(const struct wt_log_reader *log, struct wt_json *json);
/** Writes a member with the counts that are not 0, by name. */
void wt_view_counts_json(const char *key, const char *const *names, const uint64_t *counts, uint32_t n,
			 struct wt_json *json);

/** Rows as JSON: the members "rows" and "rows_not_shown". put: the members of a row, without its rows; true
 * when there are rows below it. */
struct wt_view_rows_json {
	const struct wt_view_show *show;
	struct wt_out *out;
	struct wt_json json; /**< into out */
	bool (*put)(struct wt_view_rows_json *rows, uint32_t row);
	const struct wt_view_histogram *histogram; /**< NULL: cells */
};
int wt_view_rows_json(struct wt_view_rows_json *rows, uint32_t node, struct wt_err *err);

/** The number of a row's children that are shown. */
uint32_t wt_view_shown(const struct wt_view_show *show, const uint32_t *children, uint32_t n);
/** The children are frames too deep to be shown. */
bool wt_view_too_deep(const struct wt_view_show *show, const uint32_t *children, uint32_t n);

#endif
