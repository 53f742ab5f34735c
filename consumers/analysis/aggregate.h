/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Groups events by keys into a forest of rows.
 *
 * A root is a table: one per sampled event ("cpu-clock"), one for all events that are not samples. Below it
 * each key adds a level; the last key may be the stack, which adds a level per frame. Counts are exact: a
 * row's count is the number of events that ended in it plus the counts of the rows below. Events come in
 * batches (wt_view_agg_batch), in any order of segments; after wt_view_agg_finish rows can be read and
 * sorted.
 *
 * Inclusive counts ask of an event whether some frame of its stack belongs to the row: with the keys
 * process,module,function the row make/libc.so/read has the events of make that have libc's read in their
 * stack, each once, however often read recurs there. Keys that do not name code hold for the event.
 */
#ifndef CONSUMERS_ANALYSIS_AGGREGATE_H
#define CONSUMERS_ANALYSIS_AGGREGATE_H

#include "consumers/analysis/column.h"
#include "consumers/analysis/descent.h"
#include "consumers/analysis/filter.h"

enum { WT_VIEW_MAX_COLUMNS = 32 };

/** The direction of the levels of a stack tree. */
enum wt_view_order {
	WT_ORDER_ROOT, /**< from the thread's root down to where the event happened */
	WT_ORDER_LEAF, /**< from where the event happened up to its callers */
};

/** The part of a stack that is shown: all of it, or the frames above or below one function. Where the
 * function recurs, its outermost call counts. */
enum wt_view_focus { WT_FOCUS_NONE, WT_FOCUS_CALLERS, WT_FOCUS_CALLEES };

struct wt_view_agg {
	struct wt_view_file *file; /**< borrowed */
	struct wt_view_key keys[WT_VIEW_MAX_KEYS];
	uint32_t n_keys;
	struct wt_view_column columns[WT_VIEW_MAX_COLUMNS]; /**< shown ones, then perhaps the sort column */
	uint32_t n_columns, n_shown;
	int sort; /**< column; -1: by key */
	bool ascending;
	bool timeline;      /**< rows of the key time: in order of time, with rows for times without events in
			       between */
	bool gaps_left;     /**< too many times were without events: no rows were added for them */
	double min;         /**< percent of its table below which a row is small: sorted behind the others */
	bool inclusive;     /**< fill wt_view_node.inclusive */
	bool all_one_table; /**< samples are events like any other: one root */
	struct wt_view_filter *filter; /**< borrowed */
	enum wt_view_order order;      /**< of the key stack */
	enum wt_view_focus focus;
	const char *focus_name; /**< borrowed: a function, FUNCTION:MODULE, or a mangled name */

	/** Rows; ids are those of the level's key, a root's is the text of its source. */
	struct wt_view_forest rows;

	/* working state */
	struct wt_view_key source_key;
	bool has_source;
	struct wt_view_descent descent; /**< in rows with the key stack, in calls for inclusive counts */
	bool has_descent;
	/** For inclusive counts: below a root per table (id: its row) the keys that are not code, then
	 * frames. */
	struct wt_view_forest calls;
	uint32_t *leaves, *ids; /**< scratch, per event of a batch */
	uint32_t *callers;      /**< where in calls their stacks begin */
	uint8_t *mask;
	uint32_t scratch_n;
	uint32_t *dense; /**< root's children by id, for the root `dense_root` */
	uint32_t dense_n, dense_root;

	/** With several threads nodes of rows and calls know where in the log they appeared first (born of
	 * the forest), which is the order one thread makes them in: block << 32 | level << 16 | event of the
	 * block, where all frames of a stack have one level. Else they are in this order themselves. */
	enum wt_view_marks {
		WT_MARKS_NONE,
		WT_MARKS_RISING, /**< blocks come in the order of the file: only new rows are looked at */
		WT_MARKS_ANY,    /**< in any order, or with rows of other tables between */
	} marks;

	/** Only the deferred columns are fed, with the rows there are; by row: its parent. NULL: all is
	 * counted. */
	uint32_t *pass_parents;

	struct wt_view_children children; /**< of rows, sorted; after finish */
};

/** Takes words; -1 with WT_ERR_USAGE for unknown ones. After failure too: wt_view_agg_deinit. */
int wt_view_agg_add_key(struct wt_view_agg *agg, const char *word, struct wt_err *err);
/** After the keys, and after order and focus are set. */
int wt_view_agg_add_column(struct wt_view_agg *agg, const char *word, struct wt_err *err);
/** "key", a column's word (added, not shown, when it is not there yet). Largest first, "key" and "first"
 * least first. After the shown columns. */
int wt_view_agg_set_sort(struct wt_view_agg *agg, const char *word, struct wt_err *err);
void wt_view_agg_deinit(struct wt_view_agg *agg);

/** Counts the events of a batch. After it agg->leaves[i] is the row of event i, WT_VIEW_NONE when filtered.
 */
int wt_view_agg_batch(struct wt_view_agg *agg, const struct wt_log_batch *batch, struct wt_err *err);
/** Makes agg->descent when stacks are followed at all. Done before the first batch. */
void wt_view_agg_need_descent(struct wt_view_agg *agg);
/** Forgets all rows and what columns gathered, with their memory. */
void wt_view_agg_clear(struct wt_view_agg *agg);
/** Adds up and sorts the rows. Once. WT_ERR_USAGE when no stack has the function in focus. */
int wt_view_agg_finish(struct wt_view_agg *agg, struct wt_err *err);

/* Parts of finish. */
/** Numbers the nodes of the forest stacks are followed in, which several threads made (marks), in the order
 * in which one thread makes them. */
int wt_view_agg_order(struct wt_view_agg *agg, struct wt_err *err);
/** Adds the rows of times without events that a timeline has. */
int wt_view_agg_fill_times(struct wt_view_agg *agg, struct wt_err *err);
/** Turns calls into inclusive counts of rows. */
int wt_view_agg_spread(struct wt_view_agg *agg, struct wt_err *err);
/** Makes the rows anew for order and focus. */
int wt_view_agg_reshape(struct wt_view_agg *agg, struct wt_err *err);
/** Fills agg->children, sorted. */
int wt_view_agg_sort(struct wt_view_agg *agg, struct wt_err *err);

/** Sorted rows below a node. */
const uint32_t *wt_view_agg_children(const struct wt_view_agg *agg, uint32_t node, uint32_t *n);
struct wt_view_cell wt_view_agg_cell(const struct wt_view_agg *agg, uint32_t node, uint32_t column);
/** The cell without those of the rows below; of a column of integers that adds up. */
struct wt_view_cell wt_view_agg_own(const struct wt_view_agg *agg, uint32_t node, uint32_t column);
/** The key of a node's level; NULL for a table. */
const struct wt_view_key *wt_view_agg_key(const struct wt_view_agg *agg, uint32_t node);
/** The row is below agg->min. */
bool wt_view_agg_small(const struct wt_view_agg *agg, uint32_t node);
/** The last key is the stack. */
bool wt_view_agg_by_stack(const struct wt_view_agg *agg);
/** Stacks are followed in calls, for inclusive counts. */
bool wt_view_agg_counts_calls(const struct wt_view_agg *agg);

#endif
