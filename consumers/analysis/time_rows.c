/* SPDX-License-Identifier: MIT */
/* Rows of times in which nothing happened, so that a table by time is a timeline. */
#include "consumers/analysis/aggregate.h"

#include <stdlib.h>

enum { MOST_EMPTY_ROWS = 65536 };

/* First and last time below a row; first > last: none. */
struct span {
	uint64_t first, last;
};

static bool is_time(const struct wt_view_agg *agg, uint32_t node)
{
	const struct wt_view_key *key = wt_view_agg_key(agg, node);

	return key && key->what == WT_KEY_TIME && agg->rows.nodes[node].level <= agg->n_keys;
}

/* Fills the spans, by row, and says how many rows at most they lack. */
static uint64_t find_spans(const struct wt_view_agg *agg, struct span *spans, uint32_t n)
{
	unsigned __int128 lacking = 0;

	for (uint32_t i = 0; i < n; i++)
		spans[i] = (struct span){UINT64_MAX, 0};
	for (uint32_t i = 0; i < n; i++) {
		const struct wt_view_node *node = &agg->rows.nodes[i];
		const struct wt_view_key *key = wt_view_agg_key(agg, i);
		struct span *span;

		if (!is_time(agg, i) || key->numbers.keys[node->id].b)
			continue;
		span = &spans[node->parent];
		if (span->first <= span->last)
			lacking -= (span->last - span->first) / key->bucket;
		if (key->numbers.keys[node->id].a < span->first)
			span->first = key->numbers.keys[node->id].a;
		if (key->numbers.keys[node->id].a > span->last)
			span->last = key->numbers.keys[node->id].a;
		lacking += (span->last - span->first) / key->bucket;
	}
	return lacking > UINT64_MAX ? UINT64_MAX : (uint64_t)lacking;
}

static int add_rows(struct wt_view_agg *agg, uint32_t parent, const struct span *span, struct wt_err *err)
{
	struct wt_view_key *key = &agg->keys[agg->rows.nodes[parent].level];
	bool fresh;

	for (uint64_t at = span->first; at < span->last; at += key->bucket) {
		uint32_t id = wt_intern(&key->numbers, at, 0, &fresh);

		if (id == WT_INTERN_NONE)
			return wt_fail_nomem(err);
		if (wt_view_forest_child(&agg->rows, parent, id, err) == WT_VIEW_NONE)
			return -1;
	}
	return 0;
}

/* Results of passes are there for the rows there were. */
static int lengthen_columns(struct wt_view_agg *agg, uint32_t from, struct wt_err *err)
{
	uint32_t n = agg->rows.edges.count;

	for (uint32_t c = 0; c < agg->n_columns; c++) {
		struct wt_view_column *column = &agg->columns[c];

		if (column->what < WT_COLUMN_WEIGHT || !column->passed)
			continue;
		if (wt_view_column_room(column, n, err))
			return -1;
		for (uint32_t i = from; column->what != WT_COLUMN_UNIQUE && i < n; i++)
			column->results[i] = WT_VIEW_NO_RESULT;
	}
	return 0;
}

int wt_view_agg_fill_times(struct wt_view_agg *agg, struct wt_err *err)
{
	uint32_t n = agg->rows.edges.count;
	struct span *spans;
	int failed = 0;

	if (!agg->timeline || !n)
		return 0;
	spans = malloc(n * sizeof(*spans));
	if (!spans)
		return wt_fail_nomem(err);
	agg->gaps_left = find_spans(agg, spans, n) > MOST_EMPTY_ROWS;
	for (uint32_t i = 0; i < n && !agg->gaps_left && !failed; i++)
		if (spans[i].first <= spans[i].last)
			failed = add_rows(agg, i, &spans[i], err);
	free(spans);
	return failed ? -1 : lengthen_columns(agg, n, err);
}
