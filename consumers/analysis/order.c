/* SPDX-License-Identifier: MIT */
/* Puts nodes that several threads made into the order in which one thread makes them. */
#include "consumers/analysis/aggregate.h"

#include <stdlib.h>

static int by_birth(const void *x, const void *y, void *ctx)
{
	const struct wt_view_forest *forest = ctx;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	if (forest->born[a] != forest->born[b])
		return forest->born[a] < forest->born[b] ? -1 : 1;
	/* frames of one stack */
	return (forest->nodes[a].level > forest->nodes[b].level) -
	       (forest->nodes[a].level < forest->nodes[b].level);
}

static int list_by_birth(const struct wt_view_forest *forest, uint32_t **ret, struct wt_err *err)
{
	uint32_t n = forest->edges.count;

	*ret = malloc(n * sizeof(**ret));
	if (!*ret)
		return wt_fail_nomem(err);
	for (uint32_t i = 0; i < n; i++)
		(*ret)[i] = i;
	qsort_r(*ret, n, sizeof(**ret), by_birth, (void *)(uintptr_t)forest);
	return 0;
}

/* Parents are born before their children. */
static int make_anew(const struct wt_view_forest *forest, const uint32_t *list, struct wt_view_forest *ret,
		     uint32_t *where, struct wt_err *err)
{
	for (uint32_t i = 0; i < forest->edges.count; i++) {
		const struct wt_view_node *node = &forest->nodes[list[i]];
		uint32_t parent = node->parent == WT_VIEW_NONE ? WT_VIEW_NONE : where[node->parent];

		where[list[i]] = wt_view_forest_child(ret, parent, node->id, err);
		if (where[list[i]] == WT_VIEW_NONE)
			return -1;
		ret->nodes[where[list[i]]].self = node->self;
	}
	return 0;
}

static int move_columns(struct wt_view_agg *agg, const uint32_t *where, struct wt_err *err)
{
	uint32_t n = agg->rows.edges.count;

	for (uint32_t c = 0; c < agg->n_columns; c++)
		if (wt_view_column_move(&agg->columns[c], where, n, n, err))
			return -1;
	return 0;
}

int wt_view_agg_order(struct wt_view_agg *agg, struct wt_err *err)
{
	struct wt_view_forest *forest = agg->descent.forest, made = {0};
	uint32_t *list = NULL, *where = NULL;
	int failed = -1;

	if (!forest->edges.count)
		return 0;
	where = malloc(forest->edges.count * sizeof(*where));
	if (!where) {
		wt_fail_nomem(err);
		goto out;
	}
	if (list_by_birth(forest, &list, err) || make_anew(forest, list, &made, where, err))
		goto out;
	if (forest == &agg->rows) {
		if (move_columns(agg, where, err))
			goto out;
		agg->marks = WT_MARKS_NONE;
	}
	wt_view_forest_deinit(forest);
	*forest = made;
	made = (struct wt_view_forest){0};
	failed = 0;
out:
	wt_view_forest_deinit(&made);
	free(list);
	free(where);
	return failed;
}
