/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Groups events by keys into a forest of rows.
 *
 * A root is a table: one per sampled event ("cpu-clock"), one for all events that are not samples. Below it
 * each key adds a level; the last key may be the stack, which adds a level per frame, from caller to callee.
 * Counts are exact. Events come in batches (wt_view_agg_batch), in any order of segments; after
 * wt_view_agg_finish rows can be read and sorted.
 */
#ifndef TOOLS_VIEW_AGGREGATE_H
#define TOOLS_VIEW_AGGREGATE_H

#include "tools/view/column.h"
#include "tools/view/filter.h"

enum { WT_VIEW_MAX_KEYS = 16, WT_VIEW_MAX_COLUMNS = 32, WT_VIEW_MAX_DEPTH = 1024 };

struct wt_view_node {
	uint32_t parent;    /**< WT_VIEW_NONE: a table */
	uint32_t id;        /**< of its key; a table's: text of its source */
	uint32_t level;     /**< 0 for a table; frames of a stack count on */
	uint64_t self;      /**< events that ended here */
	uint64_t total;     /**< and below; after finish */
	uint64_t inclusive; /**< events with this code anywhere in their stack */
};

struct wt_view_agg {
	struct wt_view_file *file; /**< borrowed */
	struct wt_view_key keys[WT_VIEW_MAX_KEYS];
	uint32_t n_keys;
	struct wt_view_column columns[WT_VIEW_MAX_COLUMNS]; /**< shown ones, then perhaps the sort column */
	uint32_t n_columns, n_shown;
	int sort; /**< column; -1: by key */
	bool ascending;
	double min;         /**< percent of its table below which a row is small: sorted behind the others */
	bool inclusive;     /**< fill wt_view_node.inclusive */
	bool all_one_table; /**< samples are events like any other: one root */
	struct wt_view_filter *filter; /**< borrowed */

	/* working state */
	struct wt_intern edges; /**< (parent, id) -> node */
	struct wt_view_node *nodes;
	uint32_t cap;
	struct wt_view_key source_key;
	bool has_source;
	struct wt_intern paths; /**< of one segment: (node before the last key, stack) */
	struct wt_view_path {
		uint32_t leaf;
		uint64_t count;
	} * path_rows;
	uint32_t path_cap;
	struct wt_view_segment *path_segment;
	uint32_t *leaves, *ids; /**< scratch, per event of a batch */
	uint8_t *mask;
	uint32_t scratch_n;
	uint32_t *stamps; /**< by id of the last key: the path it was counted for last */
	uint32_t stamps_n, stamp;
	uint32_t *dense; /**< root's children by id, for the root `dense_root` */
	uint32_t dense_n, dense_root;

	/* rows, after finish */
	uint32_t *child_at; /**< by node: where its children begin in `children`; n + 1 entries */
	uint32_t *children; /**< sorted */
	uint32_t *roots;
	uint32_t n_roots;
};

/** Takes words; -1 with WT_ERR_USAGE for unknown ones. After failure too: wt_view_agg_deinit. */
int wt_view_agg_add_key(struct wt_view_agg *agg, const char *word, struct wt_err *err);
int wt_view_agg_add_column(struct wt_view_agg *agg, const char *word, struct wt_err *err);
/** "key", a column's word (added, not shown, when it is not there yet). Largest first, "key" and "first"
 * least first. After the shown columns. */
int wt_view_agg_set_sort(struct wt_view_agg *agg, const char *word, struct wt_err *err);
void wt_view_agg_deinit(struct wt_view_agg *agg);

/** Counts the events of a batch. After it agg->leaves[i] is the row of event i, WT_VIEW_NONE when filtered.
 */
int wt_view_agg_batch(struct wt_view_agg *agg, const struct wt_log_batch *batch, struct wt_err *err);
/** Adds up and sorts the rows. Once. */
int wt_view_agg_finish(struct wt_view_agg *agg, struct wt_err *err);

/** Fills the row arrays, sorted; a part of finish. */
int wt_view_agg_sort(struct wt_view_agg *agg, struct wt_err *err);

/** Sorted rows below a node. */
const uint32_t *wt_view_agg_children(const struct wt_view_agg *agg, uint32_t node, uint32_t *n);
struct wt_view_cell wt_view_agg_cell(const struct wt_view_agg *agg, uint32_t node, uint32_t column);
/** The key of a node's level; NULL for a table. */
const struct wt_view_key *wt_view_agg_key(const struct wt_view_agg *agg, uint32_t node);
/** The row is below agg->min. */
bool wt_view_agg_small(const struct wt_view_agg *agg, uint32_t node);
/** The last key names code, so that exclusive and inclusive mean something. */
bool wt_view_agg_by_code(const struct wt_view_agg *agg);

#endif
