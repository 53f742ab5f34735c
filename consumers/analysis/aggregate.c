/* SPDX-License-Identifier: MIT */
#include "consumers/analysis/aggregate.h"

#include <stdlib.h>
#include <string.h>

#include "consumers/model/sample.h"
#include "tracecore/base/grow.h"
#include "tracecore/logfmt/format/logfmt.h"

/* ---- tables ---- */

static bool has_sources(const struct wt_view_agg *agg, const struct wt_log_batch *batch)
{
	return !agg->all_one_table && wt_view_is_sample(batch->segment, batch->kind) &&
	       wt_event_field(batch->segment->kinds.kinds[batch->kind].event, "source") >= 0;
}

/* A table for each source of the samples. */
static int put_sources(struct wt_view_agg *agg, struct wt_view_segment *segment,
		       const struct wt_log_batch *batch, struct wt_err *err)
{
	uint32_t last = WT_VIEW_NONE, root = WT_VIEW_NONE;

	/* Its values are texts. */
	if (!agg->has_source &&
	    wt_view_key_init(agg->file, "pmu-profile/sample.source", WT_FACE_FILTER, &agg->source_key, err))
		return -1;
	if (!agg->has_source)
		wt_view_field_of_any_event(&agg->source_key.field);
	agg->has_source = true;
	if (wt_view_key_fill(agg->file, &agg->source_key, segment, batch, agg->ids, err))
		return -1;
	for (uint32_t i = 0; i < batch->n; i++) {
		if (!agg->mask[i]) {
			agg->leaves[i] = WT_VIEW_NONE;
			continue;
		}
		if (agg->ids[i] != last) {
			last = agg->ids[i];
			root = wt_view_forest_child(&agg->rows, WT_VIEW_NONE, last, err);
			if (root == WT_VIEW_NONE)
				return -1;
		}
		agg->leaves[i] = root;
	}
	return 0;
}

static int put_roots(struct wt_view_agg *agg, struct wt_view_segment *segment,
		     const struct wt_log_batch *batch, struct wt_err *err)
{
	uint32_t events, root;

	if (has_sources(agg, batch))
		return put_sources(agg, segment, batch, err);
	if (!memchr(agg->mask, 1, batch->n)) {
		memset(agg->leaves, 0xff, batch->n * sizeof(*agg->leaves));
		return 0;
	}
	events = wt_view_text(agg->file, "", 0);
	if (events == WT_VIEW_NONE)
		return wt_fail_nomem(err);
	root = wt_view_forest_child(&agg->rows, WT_VIEW_NONE, events, err);
	for (uint32_t i = 0; i < batch->n; i++)
		agg->leaves[i] = agg->mask[i] ? root : WT_VIEW_NONE;
	return root == WT_VIEW_NONE ? -1 : 0;
}

/* ---- levels ---- */

/* Memory is prefetched this many events ahead: with very many rows every event would wait for memory. */
enum { AHEAD = 12 };

/* The first level of the root in use goes through an array instead of the hash. */
static uint32_t dense_child(struct wt_view_agg *agg, uint32_t root, uint32_t id, struct wt_err *err)
{
	if (root != agg->dense_root) {
		if (agg->dense_n)
			memset(agg->dense, 0xff, agg->dense_n * sizeof(*agg->dense));
		agg->dense_root = root;
	}
	if (id >= agg->dense_n && wt_grow_filled(&agg->dense, &agg->dense_n, id, 1, 0xff, err))
		return WT_VIEW_NONE;
	if (agg->dense[id] == WT_VIEW_NONE)
		agg->dense[id] = wt_view_forest_child(&agg->rows, root, id, err);
	return agg->dense[id];
}

static int first_level(struct wt_view_agg *agg, uint32_t n, struct wt_err *err)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t root = agg->leaves[i];

		if (i + AHEAD < n && agg->ids[i + AHEAD] < agg->dense_n)
			__builtin_prefetch(&agg->dense[agg->ids[i + AHEAD]]);
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

static int next_level(struct wt_view_forest *forest, const uint32_t *ids, uint32_t *at, uint32_t n,
		      struct wt_err *err)
{
	uint32_t parent = WT_VIEW_NONE, id = 0, node = WT_VIEW_NONE;

	for (uint32_t i = 0; i < n; i++) {
		if (i + AHEAD < n)
			wt_intern_expect(&forest->edges, at[i + AHEAD], ids[i + AHEAD]);
		if (i + AHEAD / 2 < n)
			wt_intern_expect_key(&forest->edges, at[i + AHEAD / 2], ids[i + AHEAD / 2]);
		if (at[i] == WT_VIEW_NONE)
			continue;
		if (at[i] != parent || ids[i] != id) {
			parent = at[i];
			id = ids[i];
			node = wt_view_forest_child(forest, parent, id, err);
			if (node == WT_VIEW_NONE)
				return -1;
		}
		at[i] = node;
	}
	return 0;
}

/* Adds the rows of the tables to calls as well, as roots. */
static int put_callers(struct wt_view_agg *agg, uint32_t n, struct wt_err *err)
{
	uint32_t last = WT_VIEW_NONE, root = WT_VIEW_NONE;

	for (uint32_t i = 0; i < n; i++) {
		if (agg->leaves[i] != WT_VIEW_NONE && agg->leaves[i] != last) {
			last = agg->leaves[i];
			root = wt_view_forest_child(&agg->calls, WT_VIEW_NONE, last, err);
			if (root == WT_VIEW_NONE)
				return -1;
		}
		agg->callers[i] = agg->leaves[i] == WT_VIEW_NONE ? WT_VIEW_NONE : root;
	}
	return 0;
}

/* ---- stacks ---- */

/* The keys that distinguish stacks: the key stack, or for inclusive counts all keys that name code. */
void wt_view_agg_need_descent(struct wt_view_agg *agg)
{
	struct wt_view_key *keys[WT_VIEW_MAX_KEYS];
	uint32_t n = 0;

	if (agg->has_descent || !(wt_view_agg_by_stack(agg) || agg->inclusive))
		return;
	for (uint32_t k = wt_view_agg_by_stack(agg) ? agg->n_keys - 1 : 0; k < agg->n_keys; k++)
		if (wt_view_key_is_code(&agg->keys[k]))
			keys[n++] = &agg->keys[k];
	wt_view_descent_init(&agg->descent, agg->file, wt_view_agg_by_stack(agg) ? &agg->rows : &agg->calls,
			     keys, n);
	agg->has_descent = true;
}

/* Takes every event of at[] from its node down its stack. */
static int descend(struct wt_view_agg *agg, struct wt_view_segment *segment, const struct wt_log_batch *batch,
		   uint32_t *at, struct wt_err *err)
{
	bool unsampled = wt_view_is_unsampled(batch->segment, batch->kind);

	for (uint32_t i = 0; i < batch->n; i++) {
		uint32_t stack = unsampled ? WT_VIEW_UNSAMPLED_STACK : batch->stack[i];

		if (batch->self[i])
			stack = WT_VIEW_SELF_STACK;
		if (at[i] == WT_VIEW_NONE)
			continue;
		at[i] = wt_view_descend(&agg->descent, segment, at[i], stack, err);
		if (at[i] == WT_VIEW_NONE)
			return -1;
	}
	return 0;
}

static int count_calls(struct wt_view_agg *agg, struct wt_view_segment *segment,
		       const struct wt_log_batch *batch, struct wt_err *err)
{
	if (!wt_view_agg_counts_calls(agg))
		return 0;
	if (descend(agg, segment, batch, agg->callers, err))
		return -1;
	for (uint32_t i = 0; i < batch->n; i++)
		if (agg->callers[i] != WT_VIEW_NONE)
			agg->calls.nodes[agg->callers[i]].self++;
	return 0;
}

/* ---- a batch ---- */

static int need_scratch(struct wt_view_agg *agg, uint32_t n, struct wt_err *err)
{
	uint32_t **arrays[] = {&agg->leaves, &agg->ids, &agg->callers};
	uint8_t *mask;

	if (n <= agg->scratch_n)
		return 0;
	for (size_t i = 0; i < sizeof(arrays) / sizeof(*arrays); i++) {
		uint32_t *grown = realloc(*arrays[i], n * sizeof(*grown));

		if (!grown)
			return wt_fail_nomem(err);
		*arrays[i] = grown;
	}
	mask = realloc(agg->mask, n);
	if (!mask)
		return wt_fail_nomem(err);
	agg->mask = mask;
	agg->scratch_n = n;
	return 0;
}

static int put_level(struct wt_view_agg *agg, uint32_t k, struct wt_view_segment *segment,
		     const struct wt_log_batch *batch, struct wt_err *err)
{
	struct wt_view_key *key = &agg->keys[k];
	uint32_t n = batch->n;

	if (wt_view_key_fill(agg->file, key, segment, batch, agg->ids, err))
		return -1;
	if (wt_view_agg_counts_calls(agg) && !wt_view_key_is_code(key) &&
	    next_level(&agg->calls, agg->ids, agg->callers, n, err))
		return -1;
	return k ? next_level(&agg->rows, agg->ids, agg->leaves, n, err) : first_level(agg, n, err);
}

static int put_levels(struct wt_view_agg *agg, struct wt_view_segment *segment,
		      const struct wt_log_batch *batch, struct wt_err *err)
{
	bool stacks = wt_view_agg_by_stack(agg);

	wt_view_agg_need_descent(agg);
	if (agg->has_descent && wt_view_resolve(agg->file, segment, err))
		return -1;
	if (wt_view_agg_counts_calls(agg) && put_callers(agg, batch->n, err))
		return -1;
	for (uint32_t k = 0; k < agg->n_keys - stacks; k++)
		if (put_level(agg, k, segment, batch, err))
			return -1;
	if (stacks && descend(agg, segment, batch, agg->leaves, err))
		return -1;
	return count_calls(agg, segment, batch, err);
}

/* Nodes where events of a batch ended and those above them; a node born no later has parents born no later.
 * There were n_before of them before the batch; frames are at level n_levels and below it. */
static int mark_nodes(struct wt_view_forest *forest, const struct wt_log_batch *batch, const uint32_t *ends,
		      uint32_t n_before, uint32_t n_levels, struct wt_err *err)
{
	const uint64_t block = (uint64_t)batch->block << 32;

	_Static_assert(WT_DISK_MAX_ROWS <= 1 << 16, "events of a block are 16 bits");
	for (uint32_t i = 0; n_before < forest->edges.count && i < batch->n; i++) {
		uint32_t node = ends[i];

		while (node != WT_VIEW_NONE && node >= n_before &&
		       (node >= forest->born_cap || block < forest->born[node])) {
			uint32_t level = forest->nodes[node].level;
			uint64_t born = block | (uint64_t)(level < n_levels ? level : n_levels) << 16 | i;

			if (node < forest->born_cap && forest->born[node] <= born)
				break;
			if (wt_view_forest_born(forest, node, born, err))
				return -1;
			node = forest->nodes[node].parent;
		}
	}
	return 0;
}

static int mark_batch(struct wt_view_agg *agg, const struct wt_log_batch *batch, uint32_t n_rows,
		      uint32_t n_calls, struct wt_err *err)
{
	bool rising = agg->marks == WT_MARKS_RISING;

	if (agg->marks == WT_MARKS_NONE || agg->pass_parents)
		return 0;
	if (wt_view_agg_counts_calls(agg) &&
	    mark_nodes(&agg->calls, batch, agg->callers, rising ? n_calls : 0,
		       1 + agg->n_keys - agg->descent.n_keys, err))
		return -1;
	return mark_nodes(&agg->rows, batch, agg->leaves, rising ? n_rows : 0, agg->n_keys, err);
}

void wt_view_agg_clear(struct wt_view_agg *agg)
{
	wt_view_forest_deinit(&agg->rows);
	wt_view_forest_deinit(&agg->calls);
	wt_view_descent_forget(&agg->descent);
	for (uint32_t k = 0; k < agg->n_keys; k++)
		wt_intern_deinit(&agg->keys[k].numbers);
	for (uint32_t c = 0; c < agg->n_columns; c++)
		wt_view_column_clear(&agg->columns[c]);
	if (agg->dense)
		memset(agg->dense, 0xff, agg->dense_n * sizeof(*agg->dense));
}

static int add_columns(struct wt_view_agg *agg, struct wt_view_segment *segment,
		       const struct wt_log_batch *batch, struct wt_err *err)
{
	const struct wt_view_node *nodes = agg->rows.nodes;

	for (uint32_t i = 0; i < batch->n; i++) {
		uint32_t soon = i + AHEAD < batch->n ? agg->leaves[i + AHEAD] : WT_VIEW_NONE;

		if (soon != WT_VIEW_NONE)
			__builtin_prefetch(&nodes[soon].self, 1);
		if (agg->leaves[i] != WT_VIEW_NONE)
			agg->rows.nodes[agg->leaves[i]].self++;
	}
	for (uint32_t c = 0; c < agg->n_columns; c++)
		if (wt_view_column_add(agg->file, &agg->columns[c], segment, batch, agg->leaves,
				       agg->rows.edges.count, err))
			return -1;
	return 0;
}

static int pass_columns(struct wt_view_agg *agg, struct wt_view_segment *segment,
			const struct wt_log_batch *batch, struct wt_err *err)
{
	for (uint32_t c = 0; c < agg->n_columns; c++)
		if (agg->columns[c].feeds && wt_view_column_pass(agg->file, &agg->columns[c], segment, batch,
								 agg->leaves, agg->pass_parents, err))
			return -1;
	return 0;
}

int wt_view_agg_batch(struct wt_view_agg *agg, const struct wt_log_batch *batch, struct wt_err *err)
{
	const uint32_t n_rows = agg->rows.edges.count, n_calls = agg->calls.edges.count;
	struct wt_view_segment *segment;

	if (wt_view_file_segment(agg->file, batch->segment, &segment, err) ||
	    need_scratch(agg, batch->n, err) ||
	    wt_view_filter_mask(agg->filter, segment, batch, agg->mask, err) ||
	    put_roots(agg, segment, batch, err) || put_levels(agg, segment, batch, err) ||
	    mark_batch(agg, batch, n_rows, n_calls, err))
		return -1;
	return agg->pass_parents ? pass_columns(agg, segment, batch, err)
				 : add_columns(agg, segment, batch, err);
}

/* ---- the end ---- */

static int roll_columns(struct wt_view_agg *agg, struct wt_err *err)
{
	uint32_t n = agg->rows.edges.count;
	uint32_t *parents = malloc(((size_t)n + 1) * sizeof(*parents));
	int failed = 0;

	if (!parents)
		return wt_fail_nomem(err);
	for (uint32_t i = 0; i < n; i++)
		parents[i] = agg->rows.nodes[i].parent;
	for (uint32_t c = 0; c < agg->n_columns && !failed; c++)
		failed = wt_view_column_roll(&agg->columns[c], parents, n, err);
	free(parents);
	return failed;
}

/* Levels whose rows hold all events with their code: those above the first key that is code. */
static uint32_t plain_levels(const struct wt_view_agg *agg)
{
	uint32_t k = 0;

	while (k < agg->n_keys && !wt_view_key_is_code(&agg->keys[k]))
		k++;
	return k;
}

int wt_view_agg_finish(struct wt_view_agg *agg, struct wt_err *err)
{
	bool stacks = wt_view_agg_by_stack(agg);
	uint32_t plain = plain_levels(agg);

	if (agg->has_descent && agg->marks != WT_MARKS_NONE && wt_view_agg_order(agg, err))
		return -1;
	if (stacks && (agg->order == WT_ORDER_LEAF || agg->focus != WT_FOCUS_NONE) &&
	    wt_view_agg_reshape(agg, err))
		return -1;
	if (agg->has_descent && wt_view_agg_counts_calls(agg) && wt_view_agg_spread(agg, err))
		return -1;
	if (wt_view_agg_fill_times(agg, err) || roll_columns(agg, err))
		return -1;
	wt_view_forest_sum(&agg->rows);
	for (uint32_t i = 0; i < agg->rows.edges.count; i++)
		if (stacks || agg->rows.nodes[i].level <= plain)
			agg->rows.nodes[i].inclusive = agg->rows.nodes[i].total;
	return wt_view_agg_sort(agg, err);
}
