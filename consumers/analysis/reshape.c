/* SPDX-License-Identifier: MIT */
/* Makes the rows of a stack tree anew: leaf first, or around one function. */
#include "consumers/analysis/aggregate.h"

#include <stdlib.h>
#include <string.h>

#include "consumers/analysis/function_name.h"
#include "tracecore/base/nearest.h"

/* Rows of a stack tree come root first, with the events at their innermost frame. Here they are made anew:
 * from the innermost frame up to the callers, or only what is above or below one function. Every old row with
 * events has one new row that takes them (`where`); what columns have gathered moves along. */

struct shape {
	struct wt_view_agg *agg;
	const struct wt_view_node *old;
	uint32_t n;                /**< old rows */
	struct wt_view_forest out; /**< the new ones */
	uint32_t *bases;           /**< by old row: the row above its stack, or itself */
	uint32_t *start;           /**< by old row: the frame the new way begins with; WT_VIEW_NONE: none */
	uint32_t *where;           /**< by old row: new row; WT_VIEW_NONE: none yet */
	struct climb {
		uint32_t from; /**< old row the climb started at */
		uint32_t next; /**< old row to be added next */
		uint32_t row;  /**< new row reached */
		uint64_t count;
		uint64_t whole; /**< events of its table */
	} * climbs;
	uint32_t n_climbs;
	uint32_t *climb_of; /**< by old row that is a start */
	uint64_t *weights;  /**< by new row: events that climb through it */
	uint32_t weights_cap;
	uint64_t *sums; /**< by old row: events in it and below */
};

/* ---- which function ---- */

static bool is_named(const struct wt_view_file *file, uint32_t symbol, const char *name, uint32_t raw)
{
	const struct wt_key *key = &file->symbols.keys[symbol];
	struct wt_buf full = {0};
	bool same;
	size_t len;
	const char *text = wt_strings_get(&file->texts, (uint32_t)key->a, &len);

	if (wt_function_is(text, len, name, strlen(name)))
		return true;
	if (raw != WT_INTERN_NONE && wt_intern_find(&file->raw_names, raw, symbol) != WT_INTERN_NONE)
		return true;
	if (!strchr(name, ':'))
		return false;
	wt_view_symbol_text(file, symbol, &full);
	same = !strcmp(wt_buf_cstr(&full), name);
	wt_buf_deinit(&full);
	return same;
}

enum { SYMBOL_UNUSED, SYMBOL_OTHER, SYMBOL_NAMED };

/* Suggests names in the order of the rows, which no number of threads changes. */
static int fail_no_function(const struct shape *shape, uint8_t *used, struct wt_err *err)
{
	const struct wt_view_agg *agg = shape->agg;
	const struct wt_view_file *file = agg->file;
	const char **names = malloc(((size_t)file->symbols.count + 1) * sizeof(*names)), *near;
	size_t n = 0;

	if (!names)
		return wt_fail_nomem(err);
	for (uint32_t i = 0; i < shape->n; i++) {
		uint32_t symbol = shape->old[i].id;

		if (shape->old[i].level < agg->n_keys || !used[symbol])
			continue;
		used[symbol] = SYMBOL_UNUSED;
		names[n++] = wt_strings_get(&file->texts, (uint32_t)file->symbols.keys[symbol].a, NULL);
	}
	near = wt_nearest(agg->focus_name, names, n);
	wt_fail(err, WT_ERR_USAGE, "no stack counted here has the function '%.200s'%s%.200s%s",
		agg->focus_name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
	free(names);
	return -1;
}

/* used[symbol] becomes one of the above for the symbols of the old rows. */
static int find_symbols(const struct shape *shape, uint8_t *used, struct wt_err *err)
{
	const struct wt_view_agg *agg = shape->agg;
	uint32_t raw = wt_strings_find(&agg->file->texts, agg->focus_name, strlen(agg->focus_name));
	bool found = false;

	for (uint32_t i = 0; i < shape->n; i++) {
		uint32_t symbol = shape->old[i].id;

		if (shape->old[i].level < agg->n_keys || used[symbol])
			continue;
		used[symbol] = is_named(agg->file, symbol, agg->focus_name, raw) ? SYMBOL_NAMED
										 : SYMBOL_OTHER;
		found |= used[symbol] == SYMBOL_NAMED;
	}
	return found ? 0 : fail_no_function(shape, used, err);
}

/* The outermost call of the function on the way down to each row. */
static int start_at_function(struct shape *shape, struct wt_err *err)
{
	uint8_t *used = calloc((size_t)shape->agg->file->symbols.count + 1, 1);

	if (!used)
		return wt_fail_nomem(err);
	if (find_symbols(shape, used, err)) {
		free(used);
		return -1;
	}
	for (uint32_t i = 0; i < shape->n; i++) {
		const struct wt_view_node *row = &shape->old[i];

		if (row->level < shape->agg->n_keys)
			continue;
		if (shape->start[row->parent] != WT_VIEW_NONE)
			shape->start[i] = shape->start[row->parent];
		else if (used[row->id] == SYMBOL_NAMED)
			shape->start[i] = i;
	}
	free(used);
	return 0;
}

/* ---- rows above the stack ---- */

/* The new row of an old one above the stack, with its parents. */
static uint32_t copy_base(struct shape *shape, uint32_t base, struct wt_err *err)
{
	uint32_t way[WT_VIEW_MAX_KEYS + 1], n = 0, row = WT_VIEW_NONE;

	for (; base != WT_VIEW_NONE && shape->where[base] == WT_VIEW_NONE; base = shape->old[base].parent)
		way[n++] = base;
	if (base != WT_VIEW_NONE)
		row = shape->where[base];
	while (n--) {
		row = wt_view_forest_child(&shape->out, row, shape->old[way[n]].id, err);
		if (row == WT_VIEW_NONE)
			return row;
		shape->where[way[n]] = row;
	}
	return row;
}

/* ---- up ---- */

static int add_climb(struct shape *shape, uint32_t start, uint64_t count, struct wt_err *err)
{
	if (shape->climb_of[start] == WT_VIEW_NONE) {
		uint32_t row = copy_base(shape, shape->bases[start], err);

		if (row == WT_VIEW_NONE)
			return -1;
		shape->climb_of[start] = shape->n_climbs;
		shape->climbs[shape->n_climbs++] = (struct climb){
			.from = start,
			.next = start,
			.row = row,
			.whole = shape->sums[shape->old[start].root],
		};
	}
	shape->climbs[shape->climb_of[start]].count += count;
	return 0;
}

static int grow_weights(struct shape *shape, struct wt_err *err)
{
	uint32_t cap = shape->out.cap;
	uint64_t *weights = realloc(shape->weights, cap * sizeof(*weights));

	if (!weights)
		return wt_fail_nomem(err);
	memset(weights + shape->weights_cap, 0, (cap - shape->weights_cap) * sizeof(*weights));
	shape->weights = weights;
	shape->weights_cap = cap;
	return 0;
}

static int step_up(struct shape *shape, struct climb *climb, struct wt_err *err)
{
	uint32_t row = wt_view_forest_child(&shape->out, climb->row, shape->old[climb->next].id, err);

	if (row == WT_VIEW_NONE || (row >= shape->weights_cap && grow_weights(shape, err)))
		return -1;
	shape->weights[row] += climb->count;
	climb->row = row;
	climb->next = shape->old[climb->next].parent;
	return 0;
}

/* The row will be left out, and what is above it too: see wt_view_agg_small. */
static bool is_small(const struct shape *shape, const struct climb *climb)
{
	return 100.0 * (double)shape->weights[climb->row] / (double)climb->whole < shape->agg->min;
}

/* A level at a time, so that callers are added only to rows that will be shown: the tree from the innermost
 * frames shares little, and all of it can be as large as all stacks together. Climbs that go on are kept in
 * front. */
static int climb_all(struct shape *shape, struct wt_err *err)
{
	uint32_t n_keys = shape->agg->n_keys;

	for (uint32_t going = shape->n_climbs; going;) {
		uint32_t left = 0;

		for (uint32_t i = 0; i < going; i++)
			if (step_up(shape, &shape->climbs[i], err))
				return -1;
		for (uint32_t i = 0; i < going; i++) {
			struct climb climb = shape->climbs[i];

			if (shape->old[climb.next].level < n_keys || is_small(shape, &climb))
				continue;
			shape->climbs[i] = shape->climbs[left];
			shape->climbs[left++] = climb;
		}
		going = left;
	}
	return 0;
}

static int shape_up(struct shape *shape, struct wt_err *err)
{
	for (uint32_t i = 0; i < shape->n; i++)
		if (shape->old[i].self && shape->start[i] != WT_VIEW_NONE &&
		    add_climb(shape, shape->start[i], shape->old[i].self, err))
			return -1;
	if (climb_all(shape, err))
		return -1;
	for (uint32_t i = 0; i < shape->n_climbs; i++)
		shape->climb_of[shape->climbs[i].from] = i;
	for (uint32_t i = 0; i < shape->n; i++)
		if (shape->old[i].self && shape->start[i] != WT_VIEW_NONE)
			shape->where[i] = shape->climbs[shape->climb_of[shape->start[i]]].row;
	return 0;
}

/* ---- down ---- */

static int shape_down(struct shape *shape, struct wt_err *err)
{
	for (uint32_t i = 0; i < shape->n; i++) {
		uint32_t above;

		if (shape->start[i] == WT_VIEW_NONE)
			continue;
		above = shape->start[i] == i ? copy_base(shape, shape->bases[i], err)
					     : shape->where[shape->old[i].parent];
		if (above == WT_VIEW_NONE)
			return -1;
		shape->where[i] = wt_view_forest_child(&shape->out, above, shape->old[i].id, err);
		if (shape->where[i] == WT_VIEW_NONE)
			return -1;
	}
	return 0;
}

/* ---- all ---- */

/* Events without the function stay in the table's sum, so that shares are of all it counts. */
static int move_events(struct shape *shape, struct wt_err *err)
{
	for (uint32_t i = 0; i < shape->n; i++) {
		if (!shape->old[i].self)
			continue;
		if (shape->where[i] == WT_VIEW_NONE)
			shape->where[i] = copy_base(shape, shape->old[i].root, err);
		if (shape->where[i] == WT_VIEW_NONE)
			return -1;
		shape->out.nodes[shape->where[i]].self += shape->old[i].self;
	}
	for (uint32_t c = 0; c < shape->agg->n_columns; c++)
		if (wt_view_column_move(&shape->agg->columns[c], shape->where, shape->n,
					shape->out.edges.count, err))
			return -1;
	return 0;
}

static void survey(struct shape *shape)
{
	for (uint32_t i = 0; i < shape->n; i++)
		shape->bases[i] = shape->old[i].level < shape->agg->n_keys
					  ? i
					  : shape->bases[shape->old[i].parent];
	for (uint32_t i = shape->n; i-- > 0;) {
		shape->sums[i] += shape->old[i].self;
		if (shape->old[i].parent != WT_VIEW_NONE)
			shape->sums[shape->old[i].parent] += shape->sums[i];
	}
}

static int shape_init(struct shape *shape, struct wt_err *err)
{
	size_t bytes = ((size_t)shape->n + 1) * sizeof(uint32_t);

	shape->start = malloc(bytes);
	shape->where = malloc(bytes);
	shape->climb_of = malloc(bytes);
	shape->climbs = malloc(((size_t)shape->n + 1) * sizeof(*shape->climbs));
	shape->bases = malloc(bytes);
	shape->sums = calloc((size_t)shape->n + 1, sizeof(*shape->sums));
	if (!shape->start || !shape->where || !shape->climb_of || !shape->climbs || !shape->bases ||
	    !shape->sums)
		return wt_fail_nomem(err);
	memset(shape->start, 0xff, bytes);
	memset(shape->where, 0xff, bytes);
	memset(shape->climb_of, 0xff, bytes);
	survey(shape);
	return 0;
}

static void shape_deinit(struct shape *shape)
{
	free(shape->start);
	free(shape->where);
	free(shape->climb_of);
	free(shape->climbs);
	free(shape->weights);
	free(shape->bases);
	free(shape->sums);
	wt_view_forest_deinit(&shape->out);
}

static int reshape(struct shape *shape, struct wt_err *err)
{
	if (shape_init(shape, err))
		return -1;
	if (shape->agg->focus != WT_FOCUS_NONE) {
		if (start_at_function(shape, err))
			return -1;
	} else {
		for (uint32_t i = 0; i < shape->n; i++)
			if (shape->old[i].level >= shape->agg->n_keys)
				shape->start[i] = i;
	}
	if (shape->agg->focus == WT_FOCUS_CALLEES ? shape_down(shape, err) : shape_up(shape, err))
		return -1;
	return move_events(shape, err);
}

int wt_view_agg_reshape(struct wt_view_agg *agg, struct wt_err *err)
{
	struct shape shape = {.agg = agg, .old = agg->rows.nodes, .n = agg->rows.edges.count};
	int failed = reshape(&shape, err);

	if (!failed) {
		struct wt_view_forest old = agg->rows;

		agg->rows = shape.out;
		shape.out = old;
	}
	shape_deinit(&shape);
	return failed;
}
