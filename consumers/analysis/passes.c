/* SPDX-License-Identifier: MIT */
/* The memory that columns may use, and the further passes for columns that needed more. */
#include "consumers/analysis/counter.h"

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

/* The column of the same quantiles that is worked out with this one; NULL: none is. */
static struct wt_view_column *twin_of(struct wt_view_agg *agg, const struct wt_view_column *column)
{
	for (uint32_t c = 0; c < agg->n_columns; c++) {
		struct wt_view_column *other = &agg->columns[c];

		if (other == column)
			return NULL;
		if (other->deferred && wt_view_column_is_twin(other, column))
			return other;
	}
	return NULL;
}

static uint32_t count_apart(struct wt_view_agg *agg)
{
	uint32_t n = 0;

	for (uint32_t c = 0; c < agg->n_columns; c++)
		n += agg->columns[c].deferred && !twin_of(agg, &agg->columns[c]);
	return n;
}

static int begin_passes(struct wt_view_counter *counter, struct wt_err *err)
{
	struct wt_view_agg *agg = &counter->agg;
	uint64_t room = (uint64_t)counter->most_pairs * WT_VIEW_PASS_FACTOR / count_apart(agg);

	for (uint32_t c = 0; c < agg->n_columns; c++) {
		struct wt_view_column *column = &agg->columns[c];

		if (!column->deferred)
			continue;
		column->feeds = !twin_of(agg, column);
		if (column->feeds && wt_view_column_begin_passes(column, room < 64 ? 64 : (uint32_t)room,
								 agg->rows.edges.count, err))
			return -1;
	}
	return 0;
}

/* 1: some column wants another pass. */
static int end_pass(struct wt_view_agg *agg, struct wt_err *err)
{
	uint32_t n = agg->rows.edges.count;
	int more = 0;

	for (uint32_t c = agg->n_columns; c-- > 0;) {
		struct wt_view_column *column = &agg->columns[c], *other;
		int rc = 0;

		if (!column->deferred)
			continue;
		other = twin_of(agg, column);
		if (other && other->feeds)
			rc = wt_view_column_twin_pass(other, column, n, err);
		else if (column->feeds)
			rc = wt_view_column_end_pass(column, agg->pass_parents, n, err);
		if (rc < 0)
			return -1;
		if (!other)
			column->feeds = rc;
		more |= rc;
	}
	return more;
}

static int all_passes(struct wt_view_counter *counter, struct wt_err *err)
{
	struct wt_log_filter range = counter->range;
	int rc = 1;

	range.scanned = NULL;
	if (begin_passes(counter, err))
		return -1;
	while (rc == 1) {
		if ((counter->feed.scan ? counter->feed.scan(counter->feed.from, feed, counter, err)
					: wt_log_scan(counter->file.log, &range, feed, counter, err)) < 0)
			return -1;
		rc = end_pass(&counter->agg, err);
		counter->passes++;
	}
	return rc;
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
	return failed;
}
