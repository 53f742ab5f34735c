/* SPDX-License-Identifier: MIT */
/* Further passes for columns that keep more values per row than fit at once. */
#include "consumers/analysis/column.h"

#include <stdlib.h>
#include <string.h>

#include "consumers/analysis/quantile.h"
#include "consumers/analysis/range.h"

void wt_view_column_drop(struct wt_view_column *column)
{
	wt_intern_deinit(&column->pairs);
	free(column->pair_counts);
	column->pair_counts = NULL;
	column->pair_cap = 0;
	wt_intern_deinit(&column->key.numbers);
}

void wt_view_column_defer(struct wt_view_column *column)
{
	if (column->what < WT_COLUMN_P50)
		return;
	wt_view_column_drop(column);
	column->deferred = true;
}

static int begin_results(struct wt_view_column *column, uint32_t n_nodes, struct wt_err *err)
{
	if (wt_view_column_room(column, n_nodes, err))
		return -1;
	memset(column->results, column->what == WT_COLUMN_UNIQUE ? 0 : 0xff,
	       column->n_accs * sizeof(*column->results));
	column->passed = true;
	return 0;
}

int wt_view_column_begin_passes(struct wt_view_column *column, uint32_t room, uint32_t n_nodes,
				struct wt_err *err)
{
	enum wt_view_pairs_kind kind = column->what == WT_COLUMN_UNIQUE ? WT_PAIRS_SET : WT_PAIRS_COUNT;

	if (begin_results(column, n_nodes, err))
		return -1;
	return wt_view_pairs_init(&column->rest, kind, room, err);
}

/* ---- unique ---- */

/* An absent value counts as one more value, once in each row. */
static int pass_absent(struct wt_view_column *column, const uint32_t *nodes, uint32_t n,
		       const uint32_t *parents, struct wt_err *err)
{
	if (!column->absent)
		column->absent = calloc(column->n_accs + (size_t)1, 1);
	if (!column->absent)
		return wt_fail_nomem(err);
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t node = nodes[i]; node != WT_VIEW_NONE && !column->absent[node];
		     node = parents[node]) {
			column->absent[node] = 1;
			column->results[node]++;
		}
	return 0;
}

/* wt_hash2 maps different numbers to different numbers. */
static int pass_numbers(struct wt_view_column *column, const uint64_t *values, const uint32_t *nodes,
			uint32_t n, struct wt_err *err)
{
	for (uint32_t i = 0; i < n; i++)
		if (nodes[i] != WT_VIEW_NONE &&
		    wt_view_pairs_add(&column->rest, wt_hash2(0, values[i]), nodes[i], err))
			return -1;
	return 0;
}

static int pass_keys(struct wt_view_file *file, struct wt_view_column *column,
		     struct wt_view_segment *segment, const struct wt_log_batch *batch, const uint32_t *nodes,
		     const uint32_t *parents, struct wt_err *err)
{
	const uint64_t *values;

	if (column->key.domain == WT_DOMAIN_NUMBER) {
		if (wt_view_key_numbers(file, &column->key, segment, batch, &values, err))
			return -1;
		return values ? pass_numbers(column, values, nodes, batch->n, err)
			      : pass_absent(column, nodes, batch->n, parents, err);
	}
	if (wt_view_column_ids(file, column, segment, batch, err))
		return -1;
	for (uint32_t i = 0; i < batch->n; i++)
		if (nodes[i] != WT_VIEW_NONE &&
		    wt_view_pairs_add(&column->rest, wt_hash2(0, column->ids[i]), nodes[i], err))
			return -1;
	return 0;
}

/* Each value counts once in every row it was met in and in the rows above; stamps mark those rows. */
static int end_unique(struct wt_view_column *column, const uint32_t *parents, uint32_t n_nodes,
		      struct wt_err *err)
{
	const struct wt_view_pairs *rest = &column->rest;
	uint32_t *stamps = calloc(n_nodes + (size_t)1, sizeof(*stamps)), stamp = 0;

	if (!stamps)
		return wt_fail_nomem(err);
	for (uint32_t i = 0; i < rest->n; i++) {
		const struct wt_view_pair *pair = &rest->pairs[i];

		stamp += !i || pair[-1].high != pair->high || pair[-1].low != pair->low;
		for (uint32_t node = pair->with; node != WT_VIEW_NONE && stamps[node] != stamp;
		     node = parents[node]) {
			stamps[node] = stamp;
			column->results[node]++;
		}
	}
	free(stamps);
	return 0;
}

/* ---- quantiles ---- */

/* Rows in an order that spreads them, and back: an odd factor and its inverse modulo 2^32. */
#define SPREAD UINT32_C(0x9e3779b1)
#define GATHER UINT32_C(0x0e8b2f51)
_Static_assert((uint32_t)(SPREAD *GATHER) == 1, "one undoes the other");

static int pass_bucket(struct wt_view_column *column, uint32_t node, uint64_t bucket, const uint32_t *parents,
		       struct wt_err *err)
{
	for (; node != WT_VIEW_NONE; node = parents[node])
		if (wt_view_pairs_add(&column->rest, (uint64_t)(node * SPREAD) << 32 | bucket, 1, err))
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
		for (uint32_t node = nodes[i]; node != WT_VIEW_NONE; node = parents[node])
			wt_view_column_range(column, node, values->field->type, values->values[i]);
		if (pass_bucket(column, nodes[i], bucket, parents, err))
			return -1;
	}
	return 0;
}

/* Selects the rows whose values are all in rest. */
static void end_quantiles(struct wt_view_column *column, const struct wt_view_pairs *rest)
{
	const double rank = column->what == WT_COLUMN_P50 ? 0.50 : 0.99;

	for (uint32_t from = 0, to = 0; from < rest->n; from = to) {
		uint64_t n = 0, want;
		double value;

		while (to < rest->n && rest->pairs[to].high == rest->pairs[from].high)
			n += rest->pairs[to++].with;
		want = wt_quantile_rank(rank, n);
		for (to = from; rest->pairs[to].with < want; to++)
			want -= rest->pairs[to].with;
		value = wt_quantile_value(rest->pairs[to].low);
		memcpy(&column->results[rest->pairs[from].high * GATHER], &value, sizeof(value));
		while (to < rest->n && rest->pairs[to].high == rest->pairs[from].high)
			to++;
	}
}

/* NULL: any. */
static bool is_same_word(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

bool wt_view_column_is_twin(const struct wt_view_column *column, const struct wt_view_column *twin)
{
	bool both = (column->what == WT_COLUMN_P50 || column->what == WT_COLUMN_P99) &&
		    (twin->what == WT_COLUMN_P50 || twin->what == WT_COLUMN_P99);

	return both && is_same_word(column->field.name, twin->field.name) &&
	       is_same_word(column->field.event, twin->field.event) &&
	       is_same_word(column->field.provider, twin->field.provider);
}

int wt_view_column_twin_pass(struct wt_view_column *column, struct wt_view_column *twin, uint32_t n_nodes,
			     struct wt_err *err)
{
	if (!twin->passed && begin_results(twin, n_nodes, err))
		return -1;
	wt_view_pairs_settle(&column->rest);
	for (uint32_t i = 0; i < n_nodes; i++)
		wt_view_range_join(twin, i, &column->ranges[i]);
	end_quantiles(twin, &column->rest);
	return 0;
}

/* ---- a pass ---- */

int wt_view_column_pass(struct wt_view_file *file, struct wt_view_column *column,
			struct wt_view_segment *segment, const struct wt_log_batch *batch,
			const uint32_t *nodes, const uint32_t *parents, struct wt_err *err)
{
	if (column->what == WT_COLUMN_UNIQUE)
		return pass_keys(file, column, segment, batch, nodes, parents, err);
	return pass_values(column, batch, nodes, parents, err);
}

int wt_view_column_end_pass(struct wt_view_column *column, const uint32_t *parents, uint32_t n_nodes,
			    struct wt_err *err)
{
	wt_view_pairs_settle(&column->rest);
	if (column->what != WT_COLUMN_UNIQUE)
		end_quantiles(column, &column->rest);
	else if (end_unique(column, parents, n_nodes, err))
		return -1;
	if (wt_view_pairs_next(&column->rest))
		return 1;
	wt_view_pairs_deinit(&column->rest);
	return 0;
}
