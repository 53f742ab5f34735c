/* SPDX-License-Identifier: MIT */
#include "tools/view/counter.h"

#include <stdlib.h>
#include <string.h>

/* Ids of one counter in terms of another: what was looked up is remembered, by key and id. */
struct merge {
	struct wt_view_counter *to, *from;
	uint32_t *texts; /* by text of from, for the tables */
	struct known {
		uint32_t *ids; /* by id of from; WT_VIEW_NONE: not looked up yet */
		uint32_t n;
	} known[WT_VIEW_MAX_KEYS];
	uint32_t *where; /* by row of from: the row it became */
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

	if (id >= known->n) {
		uint32_t n = id + id / 2 + 64;
		uint32_t *ids = realloc(known->ids, n * sizeof(*ids));

		if (!ids)
			return WT_VIEW_NONE;
		memset(ids + known->n, 0xff, (n - known->n) * sizeof(*ids));
		known->ids = ids;
		known->n = n;
	}
	if (known->ids[id] == WT_VIEW_NONE)
		known->ids[id] = take_id(merge, &merge->to->agg.keys[k], &merge->from->agg.keys[k], id);
	return known->ids[id];
}

/* ---- rows ---- */

/* Parents come before their children. */
static int merge_row(struct merge *merge, uint32_t row, struct wt_err *err)
{
	const struct wt_view_node *node = &merge->from->agg.rows.nodes[row];
	struct wt_view_agg *to = &merge->to->agg;
	uint32_t parent = node->level ? merge->where[node->parent] : WT_VIEW_NONE;
	uint32_t id = node->level ? known_id(merge, node->level - 1, node->id) : take_text(merge, node->id);

	if (id == WT_VIEW_NONE)
		return wt_fail_nomem(err);
	merge->where[row] = wt_view_forest_child(&to->rows, parent, id, err);
	if (merge->where[row] == WT_VIEW_NONE)
		return -1;
	to->rows.nodes[merge->where[row]].self += node->self;
	return wt_view_agg_born(to, merge->where[row], merge->from->agg.born[row], err);
}

static int merge_rows(struct merge *merge, struct wt_err *err)
{
	const struct wt_view_agg *from = &merge->from->agg;

	for (uint32_t row = 0; row < from->rows.edges.count; row++)
		if (merge_row(merge, row, err))
			return -1;
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

	merge.where = malloc(((size_t)from->agg.rows.edges.count + 1) * sizeof(*merge.where));
	failed = merge.where
			 ? merge_rows(&merge, err) || merge_columns(&merge, err) || merge_facts(&merge, err)
			 : wt_fail_nomem(err);
	free(merge.where);
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
