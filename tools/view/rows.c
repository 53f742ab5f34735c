/* SPDX-License-Identifier: MIT */
#include "tools/view/aggregate.h"

#include <stdlib.h>
#include <string.h>

/* ---- what to show ---- */

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
	if (column->what < WT_COLUMN_EXCLUSIVE || column->what > WT_COLUMN_OVERHEAD_INCLUSIVE)
		return 0;
	if (!wt_view_agg_by_code(agg))
		return wt_fail(
			err, WT_ERR_USAGE,
			"column '%s' needs code as the last key: module, function, line, address or stack",
			word);
	agg->inclusive |= column->what != WT_COLUMN_EXCLUSIVE;
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
	wt_intern_deinit(&agg->edges);
	wt_intern_deinit(&agg->paths);
	free(agg->nodes);
	free(agg->path_rows);
	free(agg->leaves);
	free(agg->ids);
	free(agg->mask);
	free(agg->stamps);
	free(agg->dense);
	free(agg->child_at);
	free(agg->children);
	free(agg->roots);
	*agg = (struct wt_view_agg){0};
}

/* ---- values ---- */

static double share(uint64_t part, const struct wt_view_agg *agg, uint32_t node)
{
	while (agg->nodes[node].parent != WT_VIEW_NONE)
		node = agg->nodes[node].parent;
	return agg->nodes[node].total ? 100.0 * (double)part / (double)agg->nodes[node].total : 0;
}

bool wt_view_agg_small(const struct wt_view_agg *agg, uint32_t node)
{
	const struct wt_view_node *row = &agg->nodes[node];
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
	const struct wt_view_node *row = &agg->nodes[node];
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

const struct wt_view_key *wt_view_agg_key(const struct wt_view_agg *agg, uint32_t node)
{
	uint32_t level = agg->nodes[node].level;

	if (!level)
		return NULL;
	return &agg->keys[level <= agg->n_keys ? level - 1 : agg->n_keys - 1];
}

const uint32_t *wt_view_agg_children(const struct wt_view_agg *agg, uint32_t node, uint32_t *n)
{
	*n = agg->child_at[node + 1] - agg->child_at[node];
	return agg->children + agg->child_at[node];
}

/* ---- order ---- */

struct sorting {
	const struct wt_view_agg *agg;
	const struct wt_view_cell *cells; /**< by node; NULL: by key */
};

static int order_keys(const struct wt_view_agg *agg, uint32_t a, uint32_t b)
{
	const struct wt_view_key *key = wt_view_agg_key(agg, a);

	if (!key)
		return strcmp(wt_strings_get(&agg->file->texts, agg->nodes[a].id, NULL),
			      wt_strings_get(&agg->file->texts, agg->nodes[b].id, NULL));
	return wt_view_key_order(agg->file, key, agg->nodes[a].id, agg->nodes[b].id);
}

static int by_sort(const void *x, const void *y, void *ctx)
{
	const struct sorting *sorting = ctx;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	int order = wt_view_agg_small(sorting->agg, a) - wt_view_agg_small(sorting->agg, b);

	if (order)
		return order;
	if (sorting->cells)
		order = wt_view_cell_order(&sorting->cells[b], &sorting->cells[a]);
	else
		order = -order_keys(sorting->agg, a, b);
	if (sorting->agg->ascending)
		order = -order;
	if (!order)
		order = order_keys(sorting->agg, a, b);
	return order ? order : (a > b) - (a < b);
}

static int alloc_rows(struct wt_view_agg *agg, struct wt_err *err)
{
	size_t n = agg->edges.count;

	agg->child_at = calloc(n + 2, sizeof(*agg->child_at));
	agg->children = malloc((n + 1) * sizeof(*agg->children));
	agg->roots = malloc((n + 1) * sizeof(*agg->roots));
	return agg->child_at && agg->children && agg->roots ? 0 : wt_fail_nomem(err);
}

/* Counting sort by parent: afterwards child_at[i] is where the children of i begin. */
static void place_children(struct wt_view_agg *agg)
{
	uint32_t n = agg->edges.count, sum = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (agg->nodes[i].parent == WT_VIEW_NONE)
			agg->roots[agg->n_roots++] = i;
		else
			agg->child_at[agg->nodes[i].parent + 1]++;
	}
	for (uint32_t i = 0; i <= n; i++) {
		sum += agg->child_at[i];
		agg->child_at[i] = sum;
	}
	for (uint32_t i = n; i-- > 0;) {
		uint32_t parent = agg->nodes[i].parent;

		if (parent != WT_VIEW_NONE)
			agg->children[--agg->child_at[parent + 1]] = i;
	}
	memmove(agg->child_at, agg->child_at + 1, n * sizeof(*agg->child_at));
	agg->child_at[n] = sum;
}

static struct wt_view_cell *sort_cells(const struct wt_view_agg *agg)
{
	struct wt_view_cell *cells = malloc(((size_t)agg->edges.count + 1) * sizeof(*cells));

	for (uint32_t i = 0; cells && i < agg->edges.count; i++)
		cells[i] = wt_view_agg_cell(agg, i, (uint32_t)agg->sort);
	return cells;
}

int wt_view_agg_sort(struct wt_view_agg *agg, struct wt_err *err)
{
	struct sorting sorting = {.agg = agg};
	struct wt_view_cell *cells = NULL;

	if (alloc_rows(agg, err))
		return -1;
	place_children(agg);
	if (agg->sort >= 0 && agg->n_columns) {
		cells = sort_cells(agg);
		if (!cells)
			return wt_fail_nomem(err);
		sorting.cells = cells;
	}
	for (uint32_t i = 0; i < agg->edges.count; i++)
		qsort_r(agg->children + agg->child_at[i], agg->child_at[i + 1] - agg->child_at[i],
			sizeof(*agg->children), by_sort, &sorting);
	qsort_r(agg->roots, agg->n_roots, sizeof(*agg->roots), by_sort, &sorting);
	free(cells);
	return 0;
}
