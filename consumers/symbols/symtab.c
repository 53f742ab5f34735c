/* SPDX-License-Identifier: MIT */
#include "consumers/symbols/symtab.h"

#include <stdlib.h>
#include <string.h>

#include "tracecore/base/bound.h"
#include "tracecore/base/grow.h"

void wt_symtab_add(struct wt_symtab_builder *builder, const struct wt_symtab_row *row, const char *name,
		   size_t len)
{
	bool boundary = row->flags & WT_SYMTAB_BOUNDARY;

	if (builder->failed || builder->n >= WT_SYMTAB_MAX || len > WT_SYMTAB_NAME_MAX)
		return;
	if (!boundary && (!len || !row->size))
		return;
	if (builder->names.len + len + 1 > UINT32_MAX)
		return;
	if (wt_grow(&builder->rows, &builder->cap, builder->n, 1, NULL)) {
		builder->failed = true;
		return;
	}
	builder->rows[builder->n] = *row;
	builder->rows[builder->n].name = (uint32_t)builder->names.len;
	wt_buf_put(&builder->names, name, boundary ? 0 : len);
	wt_buf_put_u8(&builder->names, 0);
	builder->failed = builder->names.failed;
	builder->n += !builder->failed;
}

static void builder_deinit(struct wt_symtab_builder *builder)
{
	free(builder->rows);
	wt_buf_deinit(&builder->names);
	*builder = (struct wt_symtab_builder){0};
}

static int compare_names(const char *a, const char *b)
{
	size_t under_a = strspn(a, "_"), under_b = strspn(b, "_");
	size_t len_a = strlen(a), len_b = strlen(b);

	if (under_a != under_b)
		return under_a < under_b ? -1 : 1;
	if (len_a != len_b)
		return len_a < len_b ? -1 : 1;
	return strcmp(a, b);
}

/** The name to keep comes first and boundaries last. */
static int compare_aliases(const struct wt_symtab_row *x, const struct wt_symtab_row *y, const void *names)
{
	int boundary = (x->flags & WT_SYMTAB_BOUNDARY) - (y->flags & WT_SYMTAB_BOUNDARY);
	int open = (x->flags & WT_SYMTAB_OPEN) - (y->flags & WT_SYMTAB_OPEN);

	if (boundary)
		return boundary;
	if (x->rank != y->rank)
		return x->rank - y->rank;
	if (open)
		return open;
	return compare_names((const char *)names + x->name, (const char *)names + y->name);
}

bool wt_symtab_is_better(const struct wt_symtab_builder *builder, const struct wt_symtab_row *a,
			 const struct wt_symtab_row *b)
{
	return compare_aliases(a, b, builder->names.data) < 0;
}

static int compare_rows(const void *a, const void *b, void *names)
{
	const struct wt_symtab_row *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return compare_aliases(x, y, names);
}

/* Sorts rows that are mostly in order: the kernel's own list is long, and only names of one address have to
 * change places. False, and they are as unordered as before, when that takes too many steps. */
static bool sort_nearly(struct wt_symtab_builder *builder)
{
	struct wt_symtab_row *rows = builder->rows, row;
	size_t left = builder->n * 4;

	for (size_t i = 1, at; i < builder->n; i++) {
		row = rows[i];
		for (at = i; at && compare_rows(&rows[at - 1], &row, builder->names.data) > 0; at--) {
			if (!left--)
				break;
			rows[at] = rows[at - 1];
		}
		rows[at] = row;
		if (left == SIZE_MAX)
			return false;
	}
	return true;
}

static uint32_t clamp(uint64_t bytes)
{
	return bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes;
}

/** The functions that are open at the sweep's position, outermost first, and the spans made so far. */
struct sweep {
	struct active {
		uint64_t start, end;
		uint32_t name;
		bool open;
	} * stack;
	size_t depth, depth_cap;
	struct wt_symtab_span *spans;
	size_t n, cap;
	uint64_t at;
	bool failed;
};

static void emit(struct sweep *sweep, const struct active *owner, uint64_t from, uint64_t to)
{
	if (wt_grow(&sweep->spans, &sweep->cap, sweep->n, 1, NULL)) {
		sweep->failed = true;
		return;
	}
	sweep->spans[sweep->n++] = (struct wt_symtab_span){
		.start = from,
		.size = clamp(to - from),
		.back = clamp(from - owner->start),
		.name = owner->name,
	};
}

static void advance(struct sweep *sweep, uint64_t to)
{
	while (sweep->depth) {
		const struct active *top = &sweep->stack[sweep->depth - 1];
		uint64_t end = top->end < to ? top->end : to;

		if (end > sweep->at) {
			emit(sweep, top, sweep->at, end);
			sweep->at = end;
		}
		if (top->end > to)
			break;
		sweep->depth--;
	}
	sweep->at = to;
}

static void push(struct sweep *sweep, const struct active *active)
{
	if (wt_grow(&sweep->stack, &sweep->depth_cap, sweep->depth, 1, NULL)) {
		sweep->failed = true;
		return;
	}
	sweep->stack[sweep->depth++] = *active;
}

/** Takes n aliases, best first. */
static void take(struct sweep *sweep, const struct wt_symtab_row *rows, size_t n)
{
	struct active active = {.start = rows->start, .name = rows->name, .open = true};
	uint64_t sized = 0, bound = 0, size;

	advance(sweep, rows->start);
	for (size_t i = 0; i < n; i++) {
		uint64_t *into = rows[i].flags & WT_SYMTAB_OPEN ? &bound : &sized;

		if (!(rows[i].flags & WT_SYMTAB_BOUNDARY) && rows[i].size > *into)
			*into = rows[i].size;
	}
	if (sweep->depth && sweep->stack[sweep->depth - 1].open)
		sweep->depth--;
	if (rows->flags & WT_SYMTAB_BOUNDARY || (!sized && sweep->depth))
		return;
	if (!(rows->flags & WT_SYMTAB_OPEN))
		sized = rows->size;
	active.open = !sized;
	size = sized ? sized : bound;
	active.end = size > UINT64_MAX - active.start ? UINT64_MAX : active.start + size;
	push(sweep, &active);
}

static int sweep_rows(const struct wt_symtab_builder *builder, struct sweep *sweep)
{
	const struct wt_symtab_row *rows = builder->rows;

	for (size_t i = 0, n; i < builder->n; i += n) {
		for (n = 1; i + n < builder->n && rows[i + n].start == rows[i].start;)
			n++;
		take(sweep, rows + i, n);
	}
	advance(sweep, UINT64_MAX);
	free(sweep->stack);
	return sweep->failed ? -1 : 0;
}

int wt_symtab_build(struct wt_symtab_builder *builder, struct wt_symtab *ret, struct wt_err *err)
{
	struct sweep sweep = {0};
	struct wt_symtab_span *fit;

	if (builder->n && !builder->failed && !sort_nearly(builder))
		qsort_r(builder->rows, builder->n, sizeof(*builder->rows), compare_rows, builder->names.data);
	if (builder->failed || sweep_rows(builder, &sweep) < 0) {
		free(sweep.spans);
		builder_deinit(builder);
		return wt_fail_nomem(err);
	}
	fit = sweep.n ? realloc(sweep.spans, sweep.n * sizeof(*fit)) : NULL;
	*ret = (struct wt_symtab){
		.spans = fit ? fit : sweep.spans,
		.n = sweep.n,
		.names = (char *)builder->names.data,
		.names_len = builder->names.cap,
	};
	builder->names = (struct wt_buf){0};
	builder_deinit(builder);
	return 0;
}

bool wt_symtab_find(const struct wt_symtab *table, uint64_t address, struct wt_symtab_hit *ret)
{
	size_t low = WT_BOUND(i, 0, table->n, table->spans[i].start <= address);
	const struct wt_symtab_span *span;

	if (!low)
		return false;
	span = &table->spans[low - 1];
	if (address - span->start >= span->size)
		return false;
	ret->name = table->names + span->name;
	ret->offset = clamp(span->back + (address - span->start));
	ret->left = span->size - (uint32_t)(address - span->start);
	return true;
}

uint64_t wt_symtab_bytes(const struct wt_symtab *table)
{
	return table->n * sizeof(*table->spans) + table->names_len;
}

void wt_symtab_deinit(struct wt_symtab *table)
{
	free(table->spans);
	free(table->names);
	*table = (struct wt_symtab){0};
}
