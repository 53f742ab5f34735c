/* SPDX-License-Identifier: MIT */
#include "consumers/analysis/forest.h"

#include <stdlib.h>
#include <string.h>

#include "tracecore/base/grow.h"

void wt_view_forest_deinit(struct wt_view_forest *forest)
{
	wt_intern_deinit(&forest->edges);
	free(forest->nodes);
	free(forest->born);
	*forest = (struct wt_view_forest){0};
}

uint32_t wt_view_forest_child(struct wt_view_forest *forest, uint32_t parent, uint32_t id, struct wt_err *err)
{
	bool fresh;
	uint32_t node = wt_intern(&forest->edges, parent, id, &fresh);

	if (node == WT_INTERN_NONE) {
		wt_fail_nomem(err);
		return WT_VIEW_NONE;
	}
	if (!fresh)
		return node;
	if (wt_grow(&forest->nodes, &forest->cap, node, 1, err))
		return WT_VIEW_NONE;
	forest->nodes[node] = (struct wt_view_node){
		.parent = parent,
		.id = id,
		.level = parent == WT_VIEW_NONE ? 0 : forest->nodes[parent].level + 1,
		.root = parent == WT_VIEW_NONE ? node : forest->nodes[parent].root,
	};
	return node;
}

int wt_view_forest_born(struct wt_view_forest *forest, uint32_t node, uint64_t born, struct wt_err *err)
{
	if (node >= forest->born_cap && wt_grow_filled(&forest->born, &forest->born_cap, node, 1, 0xff, err))
		return -1;
	if (born < forest->born[node])
		forest->born[node] = born;
	return 0;
}

void wt_view_forest_sum(struct wt_view_forest *forest)
{
	for (uint32_t i = forest->edges.count; i-- > 0;) {
		struct wt_view_node *node = &forest->nodes[i];

		node->total += node->self;
		if (node->parent != WT_VIEW_NONE)
			forest->nodes[node->parent].total += node->total;
	}
}

/* ---- children ---- */

/* Counting sort by parent: afterwards at[i] is where the children of i begin. */
static void place(struct wt_view_children *children, const struct wt_view_forest *forest)
{
	uint32_t n = forest->edges.count, sum = 0, *at = children->at;

	for (uint32_t i = 0; i < n; i++) {
		if (forest->nodes[i].parent == WT_VIEW_NONE)
			children->roots[children->n_roots++] = i;
		else
			at[forest->nodes[i].parent + 1]++;
	}
	for (uint32_t i = 0; i <= n; i++) {
		sum += at[i];
		at[i] = sum;
	}
	for (uint32_t i = n; i-- > 0;) {
		uint32_t parent = forest->nodes[i].parent;

		if (parent != WT_VIEW_NONE)
			children->rows[--at[parent + 1]] = i;
	}
	memmove(at, at + 1, n * sizeof(*at));
	at[n] = sum;
}

int wt_view_children_init(struct wt_view_children *children, const struct wt_view_forest *forest,
			  struct wt_err *err)
{
	size_t n = forest->edges.count;

	*children = (struct wt_view_children){
		.at = calloc(n + 2, sizeof(uint32_t)),
		.rows = malloc((n + 1) * sizeof(uint32_t)),
		.roots = malloc((n + 1) * sizeof(uint32_t)),
	};
	if (!children->at || !children->rows || !children->roots)
		return wt_fail_nomem(err);
	place(children, forest);
	return 0;
}

void wt_view_children_deinit(struct wt_view_children *children)
{
	free(children->at);
	free(children->rows);
	free(children->roots);
	*children = (struct wt_view_children){0};
}
