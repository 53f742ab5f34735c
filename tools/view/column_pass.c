/* SPDX-License-Identifier: MIT */
#include "tools/view/column.h"

#include <stdlib.h>
#include <string.h>

#include "tools/view/quantile.h"

void wt_view_column_drop(struct wt_view_column *column)
{
	wt_intern_deinit(&column->pairs);
	free(column->pair_counts);
	column->pair_counts = NULL;
	column->pair_cap = 0;
}

bool wt_view_column_overflows(const struct wt_view_column *column)
{
	return column->most_pairs && column->pairs.count > column->most_pairs;
}

void wt_view_column_defer(struct wt_view_column *column)
{
	if (column->what < WT_COLUMN_P50)
		return;
	wt_view_column_drop(column);
	column->deferred = true;
}

int wt_view_column_begin_pass(struct wt_view_column *column, uint32_t parts, uint32_t part, uint32_t n_nodes,
			      struct wt_err *err)
{
	if (wt_view_column_room(column, n_nodes, err))
		return -1;
	if (!part)
		memset(column->accs, 0, column->n_accs * sizeof(*column->accs));
	column->parts = parts;
	column->part = part;
	wt_intern_clear(&column->pairs);
	return 0;
}

static bool in_part(const struct wt_view_column *column, uint32_t node, uint32_t id)
{
	return (uint32_t)(wt_hash2(node, id) >> 32) % column->parts == column->part;
}

static int pass_unique(struct wt_view_column *column, uint32_t node, uint32_t id, const uint32_t *parents,
		       struct wt_err *err)
{
	bool fresh;

	for (; node != WT_VIEW_NONE; node = parents[node])
		if (in_part(column, node, id) && wt_view_column_pair(column, node, id, 1, &fresh, err))
			return -1;
	return 0;
}

static int pass_bucket(struct wt_view_column *column, uint32_t node, uint64_t bucket, const uint32_t *parents,
		       struct wt_err *err)
{
	bool fresh;

	for (; node != WT_VIEW_NONE; node = parents[node])
		if (in_part(column, node, 0) && wt_view_column_pair(column, node, bucket, 1, &fresh, err))
			return -1;
	return 0;
}

static int pass_values(struct wt_view_column *column, const struct wt_log_batch *batch, const uint32_t *nodes,
		       const uint32_t *parents, struct wt_err *err)
{
	int at = wt_view_field_column(&column->field, batch);
	const struct wt_log_column *values = at < 0 ? NULL : &batch->columns[at];

	if (!values || !values->values)
		return 0;
	for (uint32_t i = 0; i < batch->n; i++) {
		uint64_t bucket;

		if (nodes[i] == WT_VIEW_NONE)
			continue;
		bucket = wt_view_column_bucket(column, values->field->type, values->values[i]);
		if (pass_bucket(column, nodes[i], bucket, parents, err))
			return -1;
	}
	return 0;
}

int wt_view_column_pass(struct wt_view_file *file, struct wt_view_column *column,
			struct wt_view_segment *segment, const struct wt_log_batch *batch,
			const uint32_t *nodes, const uint32_t *parents, struct wt_err *err)
{
	if (wt_view_column_overflows(column))
		return 0;
	if (column->what != WT_COLUMN_UNIQUE)
		return pass_values(column, batch, nodes, parents, err);
	if (wt_view_column_ids(file, column, segment, batch, err))
		return -1;
	for (uint32_t i = 0; i < batch->n; i++)
		if (nodes[i] != WT_VIEW_NONE && pass_unique(column, nodes[i], column->ids[i], parents, err))
			return -1;
	return 0;
}

int wt_view_column_end_pass(struct wt_view_column *column, struct wt_err *err)
{
	const double rank = column->what == WT_COLUMN_P50 ? 0.50 : 0.99;
	uint32_t *order, last = WT_VIEW_NONE;

	if (column->what == WT_COLUMN_UNIQUE)
		return 0;
	order = wt_quantile_order(&column->pairs);
	if (!order)
		return wt_fail_nomem(err);
	for (uint32_t i = 0; i < column->pairs.count; i++) {
		uint32_t node = (uint32_t)column->pairs.keys[order[i]].a;

		if (node == last)
			continue;
		last = node;
		column->accs[node].n = wt_quantile(&column->pairs, column->pair_counts, order, node, rank,
						   &column->accs[node].f);
	}
	free(order);
	return 0;
}
