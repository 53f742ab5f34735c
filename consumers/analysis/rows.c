/* SPDX-License-Identifier: MIT */
/* The contents of a table: its keys and columns, the values of its rows, their order. */
#include "consumers/analysis/aggregate.h"

#include <stdlib.h>
#include <string.h>

/* ---- what to show ---- */

static bool by_code(const struct wt_view_agg *agg)
{
	for (uint32_t k = 0; k < agg->n_keys; k++)
		if (wt_view_key_is_code(&agg->keys[k]))
			return true;
	return false;
}

bool wt_view_agg_by_stack(const struct wt_view_agg *agg)
{
	return agg->n_keys && agg->keys[agg->n_keys - 1].what == WT_KEY_STACK;
}

bool wt_view_agg_counts_calls(const struct wt_view_agg *agg)
{
	return agg->inclusive && !wt_view_agg_by_stack(agg);
}

int wt_view_agg_add_key(struct wt_view_agg *agg, const char *word, struct wt_err *err)
{
	if (agg->n_keys == WT_VIEW_MAX_KEYS)
		return wt_fail(err, WT_ERR_USAGE, "more than %d group keys", WT_VIEW_MAX_KEYS);
	if (agg->n_keys && agg->keys[agg->n_keys - 1].what == WT_KEY_STACK)
		return wt_fail(err, WT_ERR_USAGE, "key 'stack' must be the last one, not before '%.60s'",
			       word);
	if (wt_view_key_init(agg->file, word, WT_FACE_GROUP, &agg->keys[agg->n_keys], err))
		return -1;
	agg->n_keys++;
	return 0;
}

static int add_column(struct wt_view_agg *agg, const char *word, struct wt_err *err)
{
	struct wt_view_column *column = &agg->columns[agg->n_columns];

	if (agg->n_columns == WT_VIEW_MAX_COLUMNS)
		return wt_fail(err, WT_ERR_USAGE, "more than %d columns", WT_VIEW_MAX_COLUMNS - 1);
	if (wt_view_column_init(agg->file, word, column, err))
		return -1;
	agg->n_columns++;
	/* Samples of several events stand in one row. */
	agg->all_one_table |= column->source != NULL;
	if (column->what < WT_COLUMN_EXCLUSIVE || column->what > WT_COLUMN_OVERHEAD_INCLUSIVE)
		return 0;
	if (!by_code(agg))
		return wt_fail(
			err, WT_ERR_USAGE,
			"column '%s' needs code among the keys: module, function, line, address or stack",
			word);
	agg->inclusive |= column->what != WT_COLUMN_EXCLUSIVE;
	if (column->what == WT_COLUMN_EXCLUSIVE && wt_view_agg_by_stack(agg) &&
	    (agg->order == WT_ORDER_LEAF || agg->focus == WT_FOCUS_CALLERS))
		return wt_fail(
			err, WT_ERR_USAGE,
			"column 'exclusive' says nothing here: the rows below a function are its callers");
	return 0;
}

int wt_view_agg_add_column(struct wt_view_agg *agg, const char *word, struct wt_err *err)
{
	if (add_column(agg, word, err))
		return -1;
	agg->n_shown = agg->n_columns;
	return 0;
}

int wt_view_agg_set_sort(struct wt_view_agg *agg, const char *word, struct wt_err *err)
{
	agg->sort = -1;
	agg->ascending = true;
	if (!strcmp(word, "key"))
		return 0;
	for (agg->sort = 0; agg->sort < (int)agg->n_columns; agg->sort++)
		if (!strcmp(agg->columns[agg->sort].word, word))
			break;
	if (agg->sort == (int)agg->n_columns && add_column(agg, word, err))
		return -1;
	agg->ascending = agg->columns[agg->sort].what == WT_COLUMN_FIRST;
	return 0;
}

void wt_view_agg_deinit(struct wt_view_agg *agg)
{
	for (uint32_t i = 0; i < agg->n_keys; i++)
		wt_view_key_deinit(&agg->keys[i]);
	for (uint32_t i = 0; i < agg->n_columns; i++)
		wt_view_column_deinit(&agg->columns[i]);
	wt_view_key_deinit(&agg->source_key);
	wt_view_forest_deinit(&agg->rows);
	wt_view_forest_deinit(&agg->calls);
	wt_view_descent_deinit(&agg->descent);
	wt_view_children_deinit(&agg->children);
	free(agg->leaves);
	free(agg->ids);
	free(agg->callers);
	free(agg->mask);
	free(agg->dense);
	free(agg->pass_parents);
	*agg = (struct wt_view_agg){0};
}

/* ---- values ---- */

static double share(uint64_t part, const struct wt_view_agg *agg, uint32_t node)
{
	uint64_t whole = agg->rows.nodes[agg->rows.nodes[node].root].total;

	return whole ? 100.0 * (double)part / (double)whole : 0;
}

bool wt_view_agg_small(const struct wt_view_agg *agg, uint32_t node)
{
	const struct wt_view_node *row = &agg->rows.nodes[node];
	uint64_t events = row->inclusive > row->total ? row->inclusive : row->total;

	return agg->min > 0 && share(events, agg, node) < agg->min;
}

/* Frames inside a stack tree hold what ends in them; rows of other keys hold all there is below. */
static uint64_t exclusive(const struct wt_view_agg *agg, const struct wt_view_node *node)
{
	return node->level < agg->n_keys ? node->total : node->self;
}

struct wt_view_cell wt_view_agg_cell(const struct wt_view_agg *agg, uint32_t node, uint32_t column)
{
	const struct wt_view_node *row = &agg->rows.nodes[node];
	struct wt_view_cell cell = {.kind = WT_CELL_INTEGER};

	switch (agg->columns[column].what) {
	case WT_COLUMN_COUNT:
		cell.i = row->total;
		return cell;
	case WT_COLUMN_EXCLUSIVE:
		cell.i = exclusive(agg, row);
		return cell;
	case WT_COLUMN_INCLUSIVE:
		cell.i = row->inclusive;
		return cell;
	case WT_COLUMN_OVERHEAD:
	case WT_COLUMN_OVERHEAD_INCLUSIVE:
		cell.kind = WT_CELL_SHARE;
		cell.f = share(agg->columns[column].what == WT_COLUMN_OVERHEAD ? row->total : row->inclusive,
			       agg, node);
		return cell;
	default:
		return wt_view_column_cell(&agg->columns[column], node);
	}
}

struct wt_view_cell wt_view_agg_own(const struct wt_view_agg *agg, uint32_t node, uint32_t column)
{
	struct wt_view_cell own = wt_view_agg_cell(agg, node, column);
	uint32_t n;
	const uint32_t *children = wt_view_agg_children(agg, node, &n);

	for (uint32_t i = 0; i < n; i++)
		own.i -= wt_view_agg_cell(agg, children[i], column).i;
	return own;
}

const struct wt_view_key *wt_view_agg_key(const struct wt_view_agg *agg, uint32_t node)
{
	uint32_t level = agg->rows.nodes[node].level;

	if (!level)
		return NULL;
	return &agg->keys[level <= agg->n_keys ? level - 1 : agg->n_keys - 1];
}

const uint32_t *wt_view_agg_children(const struct wt_view_agg *agg, uint32_t node, uint32_t *n)
{
	*n = agg->children.at[node + 1] - agg->children.at[node];
	return agg->children.rows + agg->children.at[node];
}

/* ---- order ---- */

struct sorting {
	const struct wt_view_agg *agg;
	const __int128 *ranks; /**< by node; NULL: by key */
};

static int order_keys(const struct wt_view_agg *agg, uint32_t a, uint32_t b)
{
	const struct wt_view_key *key = wt_view_agg_key(agg, a);

	if (!key)
		return strcmp(wt_strings_get(&agg->file->texts, agg->rows.nodes[a].id, NULL),
			      wt_strings_get(&agg->file->texts, agg->rows.nodes[b].id, NULL));
	return wt_view_key_order(agg->file, key, agg->rows.nodes[a].id, agg->rows.nodes[b].id);
}

/* Rows that inclusive counts have added are behind all others, in their order. */
static uint64_t born(const struct wt_view_agg *agg, uint32_t row)
{
	return row < agg->rows.born_cap ? agg->rows.born[row] : UINT64_MAX;
}

/* Compares two rows by their first appearance in the log. */
static int by_birth(const struct wt_view_agg *agg, uint32_t a, uint32_t b)
{
	if (agg->marks != WT_MARKS_NONE && born(agg, a) != born(agg, b))
		return born(agg, a) < born(agg, b) ? -1 : 1;
	return (a > b) - (a < b);
}

static bool is_time(const struct wt_view_key *key)
{
	return key && key->what == WT_KEY_TIME;
}

static int by_sort(const void *x, const void *y, void *ctx)
{
	const struct sorting *sorting = ctx;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	int order = wt_view_agg_small(sorting->agg, a) - wt_view_agg_small(sorting->agg, b);

	if (order)
		return order;
	if (sorting->agg->timeline && is_time(wt_view_agg_key(sorting->agg, a)))
		return order_keys(sorting->agg, a, b);
	if (sorting->ranks)
		order = (sorting->ranks[b] > sorting->ranks[a]) - (sorting->ranks[b] < sorting->ranks[a]);
	else
		order = -order_keys(sorting->agg, a, b);
	if (sorting->agg->ascending)
		order = -order;
	if (!order)
		order = order_keys(sorting->agg, a, b);
	return order ? order : by_birth(sorting->agg, a, b);
}

/* A number in the order of the cells of a column: a missing value is less than any other. A third of a cell's
 * size, and there are as many as rows. */
static __int128 rank_of(const struct wt_view_cell *cell)
{
	double value = cell->f + 0.0; /* no zero below zero */
	uint64_t bits;

	if (cell->kind == WT_CELL_NONE || cell->kind == WT_CELL_UNDEFINED)
		return -((__int128)1 << 126);
	if (cell->kind != WT_CELL_REAL && cell->kind != WT_CELL_SHARE)
		return cell->i;
	memcpy(&bits, &value, sizeof(bits));
	return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static __int128 *sort_ranks(const struct wt_view_agg *agg)
{
	__int128 *ranks = malloc(((size_t)agg->rows.edges.count + 1) * sizeof(*ranks));

	for (uint32_t i = 0; ranks && i < agg->rows.edges.count; i++) {
		struct wt_view_cell cell = wt_view_agg_cell(agg, i, (uint32_t)agg->sort);

		ranks[i] = rank_of(&cell);
	}
	return ranks;
}

int wt_view_agg_sort(struct wt_view_agg *agg, struct wt_err *err)
{
	struct sorting sorting = {.agg = agg};
	__int128 *ranks = NULL;

	if (wt_view_children_init(&agg->children, &agg->rows, err))
		return -1;
	if (agg->sort >= 0 && agg->n_columns) {
		ranks = sort_ranks(agg);
		if (!ranks)
			return wt_fail_nomem(err);
		sorting.ranks = ranks;
	}
	for (uint32_t i = 0; i < agg->rows.edges.count; i++) {
		uint32_t n = agg->children.at[i + 1] - agg->children.at[i];

		if (n > 1)
			qsort_r(agg->children.rows + agg->children.at[i], n, sizeof(uint32_t), by_sort,
				&sorting);
	}
	qsort_r(agg->children.roots, agg->children.n_roots, sizeof(uint32_t), by_sort, &sorting);
	free(ranks);
	return 0;
}
