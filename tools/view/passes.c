/* SPDX-License-Identifier: MIT */
#include "tools/view/counter.h"

#include <stdlib.h>

static uint32_t keeps_pairs(const struct wt_view_agg *agg)
{
	uint32_t n = 0;

	for (uint32_t c = 0; c < agg->n_columns; c++)
		n += agg->columns[c].what >= WT_COLUMN_P50;
	return n;
}

void wt_view_counter_bound(struct wt_view_counter *counter)
{
	struct wt_view_agg *agg = &counter->agg;
	uint32_t n = keeps_pairs(agg);

	/* Rows of stacks are made anew at the end, and values move along: no passes. */
	for (uint32_t c = 0; c < agg->n_columns; c++)
		if (agg->columns[c].what >= WT_COLUMN_P50 && !wt_view_agg_by_stack(agg))
			agg->columns[c].most_pairs = counter->most_pairs / n;
}

/* The rows above get all values of those below: with too many the column cannot be rolled up at once. */
static void defer_tall(struct wt_view_agg *agg)
{
	for (uint32_t c = 0; c < agg->n_columns; c++) {
		struct wt_view_column *column = &agg->columns[c];

		if (column->most_pairs &&
		    (uint64_t)column->pairs.count * (agg->n_keys + 1) > column->most_pairs)
			wt_view_column_defer(column);
	}
}

/* As many parts as a look at the first events says, if the rest is like them. */
static uint32_t first_parts(const struct wt_view_counter *counter)
{
	const struct wt_view_agg *agg = &counter->agg;
	uint64_t most = 0;

	for (uint32_t c = 0; c < agg->n_columns; c++) {
		const struct wt_view_column *column = &agg->columns[c];
		uint64_t all = counter->facts.events * (agg->n_keys + 1);

		if (column->deferred && all / (column->seen + 1) + 1 > most)
			most = all / (column->seen + 1) + 1;
	}
	return most < 2 ? 2 : most > WT_VIEW_MOST_PARTS ? WT_VIEW_MOST_PARTS : (uint32_t)most;
}

static bool any_deferred(const struct wt_view_agg *agg)
{
	for (uint32_t c = 0; c < agg->n_columns; c++)
		if (agg->columns[c].deferred)
			return true;
	return false;
}

static int feed(void *ctx, const struct wt_log_batch *batch, struct wt_err *err)
{
	return batch->n ? wt_view_agg_batch(&((struct wt_view_counter *)ctx)->agg, batch, err) : 0;
}

/* 0; 1: too many pairs for this number of parts; -1. */
static int one_pass(struct wt_view_counter *counter, uint32_t parts, uint32_t part, struct wt_err *err)
{
	struct wt_view_agg *agg = &counter->agg;
	struct wt_log_filter range = counter->range;
	int rc = 0;

	range.scanned = NULL;
	for (uint32_t c = 0; c < agg->n_columns && !rc; c++) {
		if (!agg->columns[c].deferred)
			continue;
		if (parts >= WT_VIEW_MOST_PARTS)
			agg->columns[c].most_pairs = 0;
		rc = wt_view_column_begin_pass(&agg->columns[c], parts, part, agg->rows.edges.count, err);
	}
	if (rc || wt_log_scan(counter->file.log, &range, feed, counter, err) < 0)
		return -1;
	for (uint32_t c = 0; c < agg->n_columns && !rc; c++) {
		if (!agg->columns[c].deferred)
			continue;
		if (wt_view_column_overflows(&agg->columns[c]))
			return 1;
		rc = wt_view_column_end_pass(&agg->columns[c], err);
	}
	counter->passes++;
	return rc;
}

static int all_passes(struct wt_view_counter *counter, struct wt_err *err)
{
	uint32_t parts = first_parts(counter);

	for (uint32_t part = 0; part < parts; part++) {
		int rc = one_pass(counter, parts, part, err);

		if (rc < 0)
			return -1;
		if (!rc)
			continue;
		parts = parts < WT_VIEW_MOST_PARTS / 2 ? parts * 2 : WT_VIEW_MOST_PARTS;
		part = UINT32_MAX;
	}
	return 0;
}

int wt_view_count_deferred(struct wt_view_counter *counter, struct wt_err *err)
{
	struct wt_view_agg *agg = &counter->agg;
	uint32_t n = agg->rows.edges.count;
	int failed;

	defer_tall(agg);
	if (!any_deferred(agg))
		return 0;
	agg->pass_parents = malloc(((size_t)n + 1) * sizeof(uint32_t));
	if (!agg->pass_parents)
		return wt_fail_nomem(err);
	for (uint32_t i = 0; i < n; i++)
		agg->pass_parents[i] = agg->rows.nodes[i].parent;
	failed = all_passes(counter, err);
	free(agg->pass_parents);
	agg->pass_parents = NULL;
	for (uint32_t c = 0; c < agg->n_columns; c++)
		if (agg->columns[c].deferred)
			wt_view_column_defer(&agg->columns[c]);
	return failed;
}
