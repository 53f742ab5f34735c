/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Trees of rows: a node is (parent, id), made when it is first asked for. Single-threaded.
 */
#ifndef CONSUMERS_ANALYSIS_FOREST_H
#define CONSUMERS_ANALYSIS_FOREST_H

#include "consumers/model/file.h"

struct wt_view_node {
	uint32_t parent;    /**< WT_VIEW_NONE: a root; else less than the node's own number */
	uint32_t id;        /**< of its key; what a root's means is its owner's */
	uint32_t level;     /**< 0 for a root */
	uint32_t root;      /**< of the tree it is in */
	uint64_t self;      /**< events that ended here */
	uint64_t total;     /**< and below; after wt_view_forest_sum */
	uint64_t inclusive; /**< events with this code anywhere in their stack */
};

/** Zeroed is an empty one. Undo with wt_view_forest_deinit. */
struct wt_view_forest {
	struct wt_intern edges;     /**< (parent, id) -> node; edges.count is the number of nodes */
	struct wt_view_node *nodes; /**< owned */
	uint32_t cap;
	uint64_t *born; /**< by node: the least value it got, UINT64_MAX: none; NULL: none was. Owned */
	uint32_t born_cap;
};

void wt_view_forest_deinit(struct wt_view_forest *forest);

/** The node with this parent (WT_VIEW_NONE: a root) and id. WT_VIEW_NONE when memory is out, err filled. */
uint32_t wt_view_forest_child(struct wt_view_forest *forest, uint32_t parent, uint32_t id,
			      struct wt_err *err);
/** Notes when a node appeared, as a count of the caller's; the smallest count is kept. */
int wt_view_forest_born(struct wt_view_forest *forest, uint32_t node, uint64_t born, struct wt_err *err);
/** Adds up total = self + the totals below. Call it once. */
void wt_view_forest_sum(struct wt_view_forest *forest);

/** Nodes by parent. */
struct wt_view_children {
	uint32_t *at;   /**< by node: where its children begin in rows; one more entry than nodes */
	uint32_t *rows; /**< in order of their numbers */
	uint32_t *roots;
	uint32_t n_roots;
};

/** Lists the children of every node. Undo with wt_view_children_deinit, also after a failure. */
int wt_view_children_init(struct wt_view_children *children, const struct wt_view_forest *forest,
			  struct wt_err *err);
void wt_view_children_deinit(struct wt_view_children *children);

#endif
