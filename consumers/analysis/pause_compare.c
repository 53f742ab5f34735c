// SPDX-License-Identifier: MIT
#include "consumers/analysis/pause_compare.h"

#include <stdlib.h>

#include "tracecore/base/grow.h"

int wt_pause_compare_add(struct wt_pause_compare *compare, int side, const struct wt_pause_reason *reason,
			 uint64_t length, struct wt_err *err)
{
	struct wt_pause_more *row;

	if (wt_grow(&compare->rows, &compare->cap, compare->n, 1, err))
		return -1;
	row = &compare->rows[compare->n++];
	*row = (struct wt_pause_more){.reason = *reason};
	row->length[side] = length;
	row->segments[side] = 1;
	compare->all.length[side] += length;
	compare->all.segments[side]++;
	return 0;
}

static int by_number(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

static int by_reason(const struct wt_pause_reason *a, const struct wt_pause_reason *b)
{
	const uint32_t pairs[][2] = {
		{a->cause, b->cause}, {!a->itself, !b->itself}, {a->name, b->name},        {a->by, b->by},
		{a->state, b->state}, {a->kind, b->kind},       {a->function, b->function}};
	int order = 0;

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]) && !order; i++)
		order = by_number(pairs[i][0], pairs[i][1]);
	return order;
}

static int to_add_up(const void *x, const void *y)
{
	const struct wt_pause_more *a = x, *b = y;

	return by_reason(&a->reason, &b->reason);
}

static int most_first(const void *x, const void *y)
{
	const struct wt_pause_more *a = x, *b = y;
	int64_t more = wt_pause_more_by(a), other = wt_pause_more_by(b);

	if (more != other)
		return more > other ? -1 : 1;
	return by_reason(&a->reason, &b->reason);
}

void wt_pause_compare_settle(struct wt_pause_compare *compare)
{
	struct wt_pause_more *rows = compare->rows;
	uint32_t last = 0;

	if (!compare->n)
		return;
	qsort(rows, compare->n, sizeof(*rows), to_add_up);
	for (uint32_t i = 1; i < compare->n; i++) {
		if (to_add_up(&rows[last], &rows[i])) {
			rows[++last] = rows[i];
			continue;
		}
		for (int side = 0; side < 2; side++) {
			rows[last].length[side] += rows[i].length[side];
			rows[last].segments[side] += rows[i].segments[side];
		}
	}
	compare->n = last + 1;
	qsort(rows, compare->n, sizeof(*rows), most_first);
}

void wt_pause_compare_deinit(struct wt_pause_compare *compare)
{
	free(compare->rows);
	wt_strings_deinit(&compare->words);
	*compare = (struct wt_pause_compare){0};
}
