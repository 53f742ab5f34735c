/* SPDX-License-Identifier: MIT */
/* Adds the counts of one counter to another. */
#include "consumers/analysis/counter.h"

#include <stdlib.h>
#include <string.h>

#include "tracecore/base/grow.h"

/* Translates ids of one counter into ids of another; every look-up is remembered, by key and id. */
struct merge {
	struct wt_view_counter *to, *from;
	uint32_t *texts; /* by text of from, for the tables */
	struct known {
		uint32_t *ids; /* by id of from; WT_VIEW_NONE: not looked up yet */
		uint32_t n;
	} known[WT_VIEW_MAX_KEYS];
	uint32_t *where;  /* by row of from: the row it became */
	uint32_t *calls;  /* by node of from's calls: the node it became */
	uint32_t *places; /* by place of from's descent */
};

static uint32_t take_text(const struct merge *merge, uint32_t id)
{
	size_t len;
	const char *text = wt_strings_get(&merge->from->file.texts, id, &len);

	return wt_view_text(&merge->to->file, text, len);
}

static uint32_t take_symbol(const struct merge *merge, uint32_t id)
{
	const struct wt_key *symbol = &merge->from->file.symbols.keys[id];
	uint32_t function = take_text(merge, (uint32_t)symbol->a);
	uint32_t module = take_text(merge, (uint32_t)symbol->b);
	bool fresh;

	if (function == WT_VIEW_NONE || module == WT_VIEW_NONE)
		return WT_VIEW_NONE;
	return wt_intern(&merge->to->file.symbols, function, module, &fresh);
}

static uint32_t take_id(const struct merge *merge, struct wt_view_key *to, const struct wt_view_key *from,
			uint32_t id)
{
	bool fresh;

	switch (from->domain) {
	case WT_DOMAIN_NUMBER:
		return wt_intern(&to->numbers, from->numbers.keys[id].a, from->numbers.keys[id].b, &fresh);
	case WT_DOMAIN_SYMBOL:
		return take_symbol(merge, id);
	case WT_DOMAIN_PROCESS:
		return wt_view_same_identity(&merge->to->file, &merge->to->file.processes, &merge->from->file,
					     &merge->from->file.processes, id);
	case WT_DOMAIN_THREAD:
		return wt_view_same_identity(&merge->to->file, &merge->to->file.threads, &merge->from->file,
					     &merge->from->file.threads, id);
	default:
		return take_text(merge, id);
	}
}

static uint32_t known_id(struct merge *merge, uint32_t k, uint32_t id)
{
	struct known *known = &merge->known[k];

	if (id >= known->n && wt_grow_filled(&known->ids, &known->n, id, 1, 0xff, NULL))
		return WT_VIEW_NONE;
	if (known->ids[id] == WT_VIEW_NONE)
		known->ids[id] = take_id(merge, &merge->to->agg.keys[k], &merge->from->agg.keys[k], id);
	return known->ids[id];
}

/* ---- rows ---- */

/* Of a node of rows; frames have the last key. */
static uint32_t row_id(struct merge *merge, const struct wt_view_node *node)
{
	uint32_t n_keys = merge->from->agg.n_keys;

	if (!node->level)
		return take_text(merge, node->id);
	return known_id(merge, (node->level < n_keys ? node->level : n_keys) - 1, node->id);
}

/* Adds a node below where its parent went, which comes before it; ids of rows and calls differ. */
static uint32_t merge_node(struct wt_view_forest *to, const struct wt_view_forest *from, uint32_t node,
			   const uint32_t *where, uint32_t id, struct wt_err *err)
{
	const struct wt_view_node *old = &from->nodes[node];
	uint32_t made;

	if (id == WT_VIEW_NONE) {
		wt_fail_nomem(err);
		return WT_VIEW_NONE;
	}
	made = wt_view_forest_child(to, old->level ? where[old->parent] : WT_VIEW_NONE, id, err);
	if (made == WT_VIEW_NONE || wt_view_forest_born(to, made, from->born[node], err))
		return WT_VIEW_NONE;
	to->nodes[made].self += old->self;
	return made;
}

static int merge_rows(struct merge *merge, struct wt_err *err)
{
	const struct wt_view_forest *from = &merge->from->agg.rows;

	for (uint32_t row = 0; row < from->edges.count; row++) {
		merge->where[row] = merge_node(&merge->to->agg.rows, from, row, merge->where,
					       row_id(merge, &from->nodes[row]), err);
		if (merge->where[row] == WT_VIEW_NONE)
			return -1;
	}
	return 0;
}

/* ---- calls ---- */

/* The index of the nth key that is code, or that is not. */
static uint32_t nth_key(const struct wt_view_agg *agg, uint32_t n, bool code)
{
	uint32_t k = 0;

	while (wt_view_key_is_code(&agg->keys[k]) != code || n--)
		k++;
	return k;
}

/* A place comes after the place of the keys before. */
static uint32_t take_place(struct merge *merge, uint32_t place, uint8_t *depths)
{
	const struct wt_key *key = &merge->from->agg.descent.places.keys[place];
	bool first = key->a == WT_VIEW_NONE, fresh;
	uint32_t id;

	depths[place] = first ? 0 : depths[key->a] + 1;
	id = known_id(merge, nth_key(&merge->from->agg, depths[place], true), (uint32_t)key->b);
	if (id == WT_VIEW_NONE)
		return WT_VIEW_NONE;
	return wt_intern(&merge->to->agg.descent.places, first ? WT_VIEW_NONE : merge->places[key->a], id,
			 &fresh);
}

static int merge_places(struct merge *merge, struct wt_err *err)
{
	uint32_t n = merge->from->agg.descent.places.count;
	uint8_t *depths = malloc((size_t)n + 1);
	bool whole;

	merge->places = malloc(((size_t)n + 1) * sizeof(*merge->places));
	whole = depths && merge->places;
	for (uint32_t i = 0; i < n && whole; i++) {
		merge->places[i] = take_place(merge, i, depths);
		whole = merge->places[i] != WT_VIEW_NONE;
	}
	free(depths);
	return whole ? 0 : wt_fail_nomem(err);
}

/* Of a node of calls: below the rows of tables the keys that are not code, then frames. */
static uint32_t call_id(struct merge *merge, const struct wt_view_node *node)
{
	const struct wt_view_agg *from = &merge->from->agg;

	if (!node->level)
		return merge->where[node->id];
	if (node->level <= from->n_keys - from->descent.n_keys)
		return known_id(merge, nth_key(from, node->level - 1, false), node->id);
	return from->descent.n_keys > 1 ? merge->places[node->id]
					: known_id(merge, nth_key(from, 0, true), node->id);
}

static int merge_calls(struct merge *merge, struct wt_err *err)
{
	const struct wt_view_forest *from = &merge->from->agg.calls;

	if (!from->edges.count)
		return 0;
	merge->calls = malloc(from->edges.count * sizeof(*merge->calls));
	if (!merge->calls)
		return wt_fail_nomem(err);
	if (merge_places(merge, err))
		return -1;
	for (uint32_t node = 0; node < from->edges.count; node++) {
		merge->calls[node] = merge_node(&merge->to->agg.calls, from, node, merge->calls,
						call_id(merge, &from->nodes[node]), err);
		if (merge->calls[node] == WT_VIEW_NONE)
			return -1;
	}
	return 0;
}

/* ---- columns ---- */

static int merge_unique(struct merge *merge, struct wt_view_column *to, struct wt_view_column *from,
			struct wt_err *err)
{
	for (uint32_t i = 0; i < from->pairs.count; i++) {
		const struct wt_key *pair = &from->pairs.keys[i];
		uint32_t id = take_id(merge, &to->key, &from->key, (uint32_t)pair->b);

		if (id == WT_VIEW_NONE)
			return wt_fail_nomem(err);
		from->pairs.keys[i].b = id;
	}
	return 0;
}

static int merge_columns(struct merge *merge, struct wt_err *err)
{
	struct wt_view_agg *to = &merge->to->agg, *from = &merge->from->agg;

	for (uint32_t c = 0; c < to->n_columns; c++) {
		if (from->columns[c].what == WT_COLUMN_UNIQUE &&
		    merge_unique(merge, &to->columns[c], &from->columns[c], err))
			return -1;
		if (wt_view_column_merge(&to->columns[c], &from->columns[c], merge->where,
					 from->rows.edges.count, to->rows.edges.count, err))
			return -1;
	}
	return 0;
}

/* ---- the tally ---- */

static int merge_facts(const struct merge *merge, struct wt_err *err)
{
	const struct wt_view_facts *from = &merge->from->facts;

	for (uint32_t i = 0; i < from->end_modules.count; i++) {
		uint32_t module = take_text(merge, from->ends[i].module);

		if (module == WT_VIEW_NONE ||
		    wt_view_facts_add_end(&merge->to->facts, module, from->ends[i].count))
			return wt_fail_nomem(err);
	}
	wt_view_facts_add(&merge->to->facts, from);
	return 0;
}

int wt_view_counter_merge(struct wt_view_counter *counter, struct wt_view_counter *from, struct wt_err *err)
{
	struct merge merge = {.to = counter, .from = from};
	int failed;

	wt_view_agg_need_descent(&counter->agg);
	merge.where = malloc(((size_t)from->agg.rows.edges.count + 1) * sizeof(*merge.where));
	failed = merge.where ? merge_rows(&merge, err) || merge_calls(&merge, err) ||
				       merge_columns(&merge, err) || merge_facts(&merge, err)
			     : wt_fail_nomem(err);
	free(merge.where);
	free(merge.calls);
	free(merge.places);
	for (uint32_t k = 0; k < WT_VIEW_MAX_KEYS; k++)
		free(merge.known[k].ids);
	counter->scanned.blocks += from->scanned.blocks;
	counter->scanned.skipped += from->scanned.skipped;
	counter->scanned.columns += from->scanned.columns;
	from->scanned = (struct wt_log_scanned){0};
	wt_view_agg_clear(&from->agg);
	wt_view_facts_clear(&from->facts);
	return failed ? -1 : 0;
}
