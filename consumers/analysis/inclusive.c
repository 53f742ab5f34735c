/* SPDX-License-Identifier: MIT */
/* Inclusive counts: from stacks that were followed to the rows they are in. */
#include "consumers/analysis/aggregate.h"

#include <stdlib.h>

/* ---- the first place of code on the way down a stack ---- */

/* A node's `first`: with how many code keys (1 .. n) its place is on the way down for the first time; n + 1
 * when it was there before with all of them. What is new with few keys is new with more. */
struct walk {
	const struct wt_view_agg *agg;
	const struct wt_view_children *children;
	uint32_t *open;  /**< by place: how often it is on the way down */
	uint32_t *turn;  /**< by node: the next of its children */
	uint8_t *first;  /**< by node */
	uint32_t levels; /**< of calls above the frames */
};

static void enter(const struct walk *walk, uint32_t node)
{
	const struct wt_view_descent *descent = &walk->agg->descent;
	const struct wt_view_node *row = &walk->agg->calls.nodes[node];

	walk->turn[node] = walk->children->at[node];
	walk->first[node] = (uint8_t)(descent->n_keys + 1);
	if (row->level < walk->levels)
		return;
	for (uint32_t n = descent->n_keys; n; n--)
		if (!walk->open[wt_view_place(descent, row->id, n)]++)
			walk->first[node] = (uint8_t)n;
}

static void leave(const struct walk *walk, uint32_t node)
{
	const struct wt_view_descent *descent = &walk->agg->descent;
	const struct wt_view_node *row = &walk->agg->calls.nodes[node];

	for (uint32_t n = descent->n_keys; n && row->level >= walk->levels; n--)
		walk->open[wt_view_place(descent, row->id, n)]--;
}

static void visit(const struct walk *walk, uint32_t root)
{
	uint32_t node = root;

	enter(walk, node);
	for (;;) {
		if (walk->turn[node] < walk->children->at[node + 1]) {
			node = walk->children->rows[walk->turn[node]++];
			enter(walk, node);
			continue;
		}
		leave(walk, node);
		if (node == root)
			return;
		node = walk->agg->calls.nodes[node].parent;
	}
}

/* Ids of a single key are places themselves, else places are numbered on their own. */
static size_t n_places(const struct wt_view_agg *agg)
{
	uint32_t max = 0;

	if (agg->descent.n_keys > 1)
		return agg->descent.places.count;
	for (uint32_t i = 0; i < agg->calls.edges.count; i++)
		max = agg->calls.nodes[i].id > max ? agg->calls.nodes[i].id : max;
	return (size_t)max + 1;
}

static int find_firsts(const struct wt_view_agg *agg, uint32_t levels, uint8_t *first, struct wt_err *err)
{
	struct wt_view_children children;
	struct walk walk = {.agg = agg, .children = &children, .first = first, .levels = levels};
	int failed = -1;

	if (wt_view_children_init(&children, &agg->calls, err))
		goto out;
	walk.open = calloc(n_places(agg) + 1, sizeof(*walk.open));
	walk.turn = malloc(((size_t)agg->calls.edges.count + 1) * sizeof(*walk.turn));
	if (!walk.open || !walk.turn) {
		wt_fail_nomem(err);
		goto out;
	}
	for (uint32_t i = 0; i < children.n_roots; i++)
		visit(&walk, children.roots[i]);
	failed = 0;
out:
	free(walk.open);
	free(walk.turn);
	wt_view_children_deinit(&children);
	return failed;
}

/* ---- from there to the rows ---- */

/* The row of a table and the ids of the keys that are not code, from the node above the frames. */
static uint32_t context_of(const struct wt_view_agg *agg, uint32_t base, uint32_t ids[WT_VIEW_MAX_KEYS])
{
	const struct wt_view_node *nodes = agg->calls.nodes;

	for (; nodes[base].parent != WT_VIEW_NONE; base = nodes[base].parent)
		ids[nodes[base].level - 1] = nodes[base].id;
	return nodes[base].id;
}

/* Adds a node's events to the rows of the keys' levels, from the first one on that is new. */
static int add_to_rows(struct wt_view_agg *agg, uint32_t node, uint32_t row, const uint32_t *context,
		       uint8_t first, struct wt_err *err)
{
	const struct wt_view_node *call = &agg->calls.nodes[node];
	uint32_t code = 0, other = 0;

	for (uint32_t k = 0; k < agg->n_keys; k++) {
		uint32_t id;

		if (wt_view_key_is_code(&agg->keys[k]))
			id = wt_view_place_id(&agg->descent, wt_view_place(&agg->descent, call->id, ++code));
		else
			id = context[other++];
		row = wt_view_forest_child(&agg->rows, row, id, err);
		if (row == WT_VIEW_NONE)
			return -1;
		if (code && code >= first)
			agg->rows.nodes[row].inclusive += call->total;
	}
	return 0;
}

static int spread(struct wt_view_agg *agg, uint32_t levels, const uint8_t *first, uint32_t *bases,
		  struct wt_err *err)
{
	const struct wt_view_node *calls = agg->calls.nodes;
	uint32_t context[WT_VIEW_MAX_KEYS] = {0}, base = WT_VIEW_NONE, row = WT_VIEW_NONE;

	for (uint32_t i = 0; i < agg->calls.edges.count; i++) {
		bases[i] = calls[i].level < levels ? i : bases[calls[i].parent];
		if (calls[i].level < levels || first[i] > agg->descent.n_keys)
			continue;
		if (bases[i] != base) {
			base = bases[i];
			row = context_of(agg, base, context);
		}
		if (add_to_rows(agg, i, row, context, first[i], err))
			return -1;
	}
	return 0;
}

int wt_view_agg_spread(struct wt_view_agg *agg, struct wt_err *err)
{
	uint32_t n = agg->calls.edges.count, levels = 1 + agg->n_keys - agg->descent.n_keys;
	uint32_t *bases = malloc(((size_t)n + 1) * sizeof(*bases));
	uint8_t *first = malloc((size_t)n + 1);
	int failed;

	wt_view_forest_sum(&agg->calls);
	failed = !bases || !first ? wt_fail_nomem(err) : find_firsts(agg, levels, first, err);
	if (!failed)
		failed = spread(agg, levels, first, bases, err);
	free(bases);
	free(first);
	return failed;
}
