/* SPDX-License-Identifier: MIT */
#include "tools/view/aggregate.h"

#include <stdlib.h>
#include <string.h>

bool wt_view_agg_by_code(const struct wt_view_agg *agg)
{
	return agg->n_keys && wt_view_key_is_code(&agg->keys[agg->n_keys - 1]);
}

static bool by_stack(const struct wt_view_agg *agg)
{
	return agg->n_keys && agg->keys[agg->n_keys - 1].what == WT_KEY_STACK;
}

/* ---- nodes ---- */

static int grow_nodes(struct wt_view_agg *agg, struct wt_err *err)
{
	uint32_t cap = agg->cap ? agg->cap * 2 : 256;
	struct wt_view_node *nodes = realloc(agg->nodes, cap * sizeof(*nodes));

	if (!nodes)
		return wt_fail_nomem(err);
	agg->nodes = nodes;
	agg->cap = cap;
	return 0;
}

static uint32_t child(struct wt_view_agg *agg, uint32_t parent, uint32_t id, struct wt_err *err)
{
	bool fresh;
	uint32_t node = wt_intern(&agg->edges, parent, id, &fresh);

	if (node == WT_INTERN_NONE) {
		wt_fail_nomem(err);
		return WT_VIEW_NONE;
	}
	if (!fresh)
		return node;
	if (node >= agg->cap && grow_nodes(agg, err))
		return WT_VIEW_NONE;
	agg->nodes[node] = (struct wt_view_node){
		.parent = parent,
		.id = id,
		.level = parent == WT_VIEW_NONE ? 0 : agg->nodes[parent].level + 1,
	};
	return node;
}

/* ---- tables ---- */

static int source_ids(struct wt_view_agg *agg, struct wt_view_segment *segment,
		      const struct wt_log_batch *batch, struct wt_err *err)
{
	uint32_t events;

	if (!agg->all_one_table && wt_view_is_sample(batch->segment, batch->kind) &&
	    wt_event_field(batch->segment->kinds.kinds[batch->kind].event, "source") >= 0) {
		if (!agg->has_source && wt_view_key_init(agg->file, "pmu-profile/sample.source",
							 WT_FACE_GROUP, &agg->source_key, err))
			return -1;
		agg->has_source = true;
		return wt_view_key_fill(agg->file, &agg->source_key, segment, batch, agg->ids, err);
	}
	events = wt_view_text(agg->file, "", 0);
	if (events == WT_VIEW_NONE)
		return wt_fail_nomem(err);
	for (uint32_t i = 0; i < batch->n; i++)
		agg->ids[i] = events;
	return 0;
}

static int put_roots(struct wt_view_agg *agg, const struct wt_log_batch *batch, struct wt_err *err)
{
	uint32_t last = WT_VIEW_NONE, root = WT_VIEW_NONE;

	for (uint32_t i = 0; i < batch->n; i++) {
		if (!agg->mask[i]) {
			agg->leaves[i] = WT_VIEW_NONE;
			continue;
		}
		if (agg->ids[i] != last) {
			last = agg->ids[i];
			root = child(agg, WT_VIEW_NONE, last, err);
			if (root == WT_VIEW_NONE)
				return -1;
		}
		agg->leaves[i] = root;
	}
	return 0;
}

/* ---- levels ---- */

static int grow_dense(struct wt_view_agg *agg, uint32_t id, struct wt_err *err)
{
	uint64_t n = ((uint64_t)id + 1) * 2;
	uint32_t *dense = n > UINT32_MAX ? NULL : realloc(agg->dense, n * sizeof(*dense));

	if (!dense)
		return wt_fail_nomem(err);
	memset(dense + agg->dense_n, 0xff, (n - agg->dense_n) * sizeof(*dense));
	agg->dense = dense;
	agg->dense_n = (uint32_t)n;
	return 0;
}

/* The first level of the root in use goes through an array instead of the hash. */
static uint32_t dense_child(struct wt_view_agg *agg, uint32_t root, uint32_t id, struct wt_err *err)
{
	if (root != agg->dense_root) {
		if (agg->dense_n)
			memset(agg->dense, 0xff, agg->dense_n * sizeof(*agg->dense));
		agg->dense_root = root;
	}
	if (id >= agg->dense_n && grow_dense(agg, id, err))
		return WT_VIEW_NONE;
	if (agg->dense[id] == WT_VIEW_NONE)
		agg->dense[id] = child(agg, root, id, err);
	return agg->dense[id];
}

static int first_level(struct wt_view_agg *agg, uint32_t n, struct wt_err *err)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t root = agg->leaves[i];

		if (root == WT_VIEW_NONE)
			continue;
		if (root == agg->dense_root && agg->ids[i] < agg->dense_n &&
		    agg->dense[agg->ids[i]] != WT_VIEW_NONE) {
			agg->leaves[i] = agg->dense[agg->ids[i]];
			continue;
		}
		agg->leaves[i] = dense_child(agg, root, agg->ids[i], err);
		if (agg->leaves[i] == WT_VIEW_NONE)
			return -1;
	}
	return 0;
}

static int next_level(struct wt_view_agg *agg, uint32_t n, struct wt_err *err)
{
	uint32_t parent = WT_VIEW_NONE, id = 0, node = WT_VIEW_NONE;

	for (uint32_t i = 0; i < n; i++) {
		if (agg->leaves[i] == WT_VIEW_NONE)
			continue;
		if (agg->leaves[i] != parent || agg->ids[i] != id) {
			parent = agg->leaves[i];
			id = agg->ids[i];
			node = child(agg, parent, id, err);
			if (node == WT_VIEW_NONE)
				return -1;
		}
		agg->leaves[i] = node;
	}
	return 0;
}

/* ---- paths: (row before the last key, stack), for stack trees and inclusive counts ---- */

#define SELF_STACK UINT32_MAX /* the recorder's events: no frames, one name */

static int grow_paths(struct wt_view_agg *agg, struct wt_err *err)
{
	uint32_t cap = agg->path_cap ? agg->path_cap * 2 : 1024;
	struct wt_view_path *rows = realloc(agg->path_rows, cap * sizeof(*rows));

	if (!rows)
		return wt_fail_nomem(err);
	agg->path_rows = rows;
	agg->path_cap = cap;
	return 0;
}

static uint32_t symbol_of(struct wt_view_agg *agg, struct wt_view_segment *segment, uint32_t frame)
{
	return wt_view_key_of_frame(agg->file, &agg->keys[agg->n_keys - 1], segment, frame);
}

/* Adds the frames of a stack from the outermost to the innermost below `node`. Unknown ones in a row are one.
 */
static uint32_t stack_node(struct wt_view_agg *agg, struct wt_view_segment *segment, uint32_t node,
			   uint32_t stack, struct wt_err *err)
{
	const struct wt_log_segment *tables = segment->tables;
	uint32_t frames[WT_VIEW_MAX_DEPTH], n = 0, last = WT_VIEW_NONE;

	if (stack == SELF_STACK)
		return child(agg, node, agg->file->self_frame.symbol, err);
	if (!stack)
		return child(agg, node, agg->file->no_frame.symbol, err);
	for (; stack && stack <= tables->n_stacks && n < WT_VIEW_MAX_DEPTH;
	     stack = tables->stacks[stack - 1].caller)
		frames[n++] = tables->stacks[stack - 1].frame;
	while (n && node != WT_VIEW_NONE) {
		uint32_t id = symbol_of(agg, segment, frames[--n]);

		if (id == WT_VIEW_NONE) {
			wt_fail_nomem(err);
			return WT_VIEW_NONE;
		}
		if (id != last || id != agg->file->unknown_frame.symbol)
			node = child(agg, node, id, err);
		last = id;
	}
	return node;
}

static int grow_stamps(struct wt_view_agg *agg, uint32_t id, struct wt_err *err)
{
	uint64_t n = ((uint64_t)id + 1) * 2;
	uint32_t *stamps = n > UINT32_MAX ? NULL : realloc(agg->stamps, n * sizeof(*stamps));

	if (!stamps)
		return wt_fail_nomem(err);
	memset(stamps + agg->stamps_n, 0, (n - agg->stamps_n) * sizeof(*stamps));
	agg->stamps = stamps;
	agg->stamps_n = (uint32_t)n;
	return 0;
}

/* Counts code once per stack, however often it recurs there. */
static int count_inclusive(struct wt_view_agg *agg, uint32_t parent, uint32_t id, uint64_t count,
			   struct wt_err *err)
{
	uint32_t node;

	if (id == WT_VIEW_NONE)
		return wt_fail_nomem(err);
	if (id >= agg->stamps_n && grow_stamps(agg, id, err))
		return -1;
	if (agg->stamps[id] == agg->stamp)
		return 0;
	agg->stamps[id] = agg->stamp;
	node = child(agg, parent, id, err);
	if (node == WT_VIEW_NONE)
		return -1;
	agg->nodes[node].inclusive += count;
	return 0;
}

static int spread_path(struct wt_view_agg *agg, uint32_t parent, uint32_t stack, uint64_t count,
		       struct wt_err *err)
{
	const struct wt_log_segment *tables = agg->path_segment->tables;
	uint32_t depth = 0;

	agg->stamp++;
	for (; stack && stack <= tables->n_stacks && depth < WT_VIEW_MAX_DEPTH; depth++) {
		const struct wt_log_stack *row = &tables->stacks[stack - 1];

		if (count_inclusive(agg, parent, symbol_of(agg, agg->path_segment, row->frame), count, err))
			return -1;
		stack = row->caller;
	}
	return 0;
}

/* A segment's paths mean nothing in the next one: turn them into inclusive counts and forget them. */
static int end_paths(struct wt_view_agg *agg, struct wt_err *err)
{
	for (uint32_t i = 0; i < agg->paths.count && agg->inclusive && !by_stack(agg); i++) {
		const struct wt_key *key = &agg->paths.keys[i];
		const struct wt_view_path *path = &agg->path_rows[i];

		if (key->b == 0 || key->b == SELF_STACK)
			agg->nodes[path->leaf].inclusive += path->count;
		else if (spread_path(agg, (uint32_t)key->a, (uint32_t)key->b, path->count, err))
			return -1;
	}
	wt_intern_clear(&agg->paths);
	return 0;
}

static uint32_t path_leaf(struct wt_view_agg *agg, struct wt_view_segment *segment, uint32_t node,
			  uint32_t stack, uint32_t id, struct wt_err *err)
{
	bool fresh;
	uint32_t at = wt_intern(&agg->paths, node, stack, &fresh);

	if (at == WT_INTERN_NONE) {
		wt_fail_nomem(err);
		return WT_VIEW_NONE;
	}
	if (at >= agg->path_cap && grow_paths(agg, err))
		return WT_VIEW_NONE;
	if (fresh) {
		uint32_t leaf = by_stack(agg) ? stack_node(agg, segment, node, stack, err)
					      : child(agg, node, id, err);

		agg->path_rows[at] = (struct wt_view_path){.leaf = leaf};
	}
	agg->path_rows[at].count++;
	return agg->path_rows[at].leaf;
}

static int path_level(struct wt_view_agg *agg, struct wt_view_segment *segment,
		      const struct wt_log_batch *batch, struct wt_err *err)
{
	if (agg->path_segment != segment && end_paths(agg, err))
		return -1;
	agg->path_segment = segment;
	for (uint32_t i = 0; i < batch->n; i++) {
		uint32_t stack = batch->self[i] ? SELF_STACK : batch->stack[i];

		if (agg->leaves[i] == WT_VIEW_NONE)
			continue;
		agg->leaves[i] = path_leaf(agg, segment, agg->leaves[i], stack, agg->ids[i], err);
		if (agg->leaves[i] == WT_VIEW_NONE)
			return -1;
	}
	return 0;
}

/* ---- a batch ---- */

static int need_scratch(struct wt_view_agg *agg, uint32_t n, struct wt_err *err)
{
	uint32_t *leaves, *ids;
	uint8_t *mask;

	if (n <= agg->scratch_n)
		return 0;
	leaves = realloc(agg->leaves, n * sizeof(*leaves));
	agg->leaves = leaves ? leaves : agg->leaves;
	ids = realloc(agg->ids, n * sizeof(*ids));
	agg->ids = ids ? ids : agg->ids;
	mask = realloc(agg->mask, n);
	agg->mask = mask ? mask : agg->mask;
	if (!leaves || !ids || !mask)
		return wt_fail_nomem(err);
	agg->scratch_n = n;
	return 0;
}

static int put_levels(struct wt_view_agg *agg, struct wt_view_segment *segment,
		      const struct wt_log_batch *batch, struct wt_err *err)
{
	for (uint32_t k = 0; k < agg->n_keys; k++) {
		struct wt_view_key *key = &agg->keys[k];
		bool last = k + 1 == agg->n_keys;
		int failed;

		if (key->what == WT_KEY_STACK)
			failed = wt_view_resolve(agg->file, segment, err);
		else
			failed = wt_view_key_fill(agg->file, key, segment, batch, agg->ids, err);
		if (failed)
			return -1;
		if (last && (by_stack(agg) || agg->inclusive))
			failed = path_level(agg, segment, batch, err);
		else
			failed = k ? next_level(agg, batch->n, err) : first_level(agg, batch->n, err);
		if (failed)
			return -1;
	}
	return 0;
}

int wt_view_agg_batch(struct wt_view_agg *agg, const struct wt_log_batch *batch, struct wt_err *err)
{
	struct wt_view_segment *segment;

	if (wt_view_file_segment(agg->file, batch->segment, &segment, err) ||
	    need_scratch(agg, batch->n, err) ||
	    wt_view_filter_mask(agg->filter, segment, batch, agg->mask, err) ||
	    source_ids(agg, segment, batch, err) || put_roots(agg, batch, err) ||
	    put_levels(agg, segment, batch, err))
		return -1;
	for (uint32_t i = 0; i < batch->n; i++)
		if (agg->leaves[i] != WT_VIEW_NONE)
			agg->nodes[agg->leaves[i]].self++;
	for (uint32_t c = 0; c < agg->n_columns; c++)
		if (wt_view_column_add(agg->file, &agg->columns[c], segment, batch, agg->leaves,
				       agg->edges.count, err))
			return -1;
	return 0;
}

/* ---- the end ---- */

static int roll_columns(struct wt_view_agg *agg, struct wt_err *err)
{
	uint32_t n = agg->edges.count;
	uint32_t *parents = malloc(((size_t)n + 1) * sizeof(*parents));
	int failed = 0;

	if (!parents)
		return wt_fail_nomem(err);
	for (uint32_t i = 0; i < n; i++)
		parents[i] = agg->nodes[i].parent;
	for (uint32_t c = 0; c < agg->n_columns && !failed; c++)
		failed = wt_view_column_roll(&agg->columns[c], parents, n, err);
	free(parents);
	return failed;
}

int wt_view_agg_finish(struct wt_view_agg *agg, struct wt_err *err)
{
	if (end_paths(agg, err) || roll_columns(agg, err))
		return -1;
	for (uint32_t i = agg->edges.count; i-- > 0;) {
		struct wt_view_node *node = &agg->nodes[i];

		node->total += node->self;
		if (by_stack(agg) || node->level < agg->n_keys)
			node->inclusive = node->total;
		if (node->parent != WT_VIEW_NONE)
			agg->nodes[node->parent].total += node->total;
	}
	return wt_view_agg_sort(agg, err);
}
