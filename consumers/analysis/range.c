/* SPDX-License-Identifier: MIT */
#include "consumers/analysis/range.h"

#include <math.h>

#define LARGEST ((__int128)(~(unsigned __int128)0 >> 1))

void wt_view_range_init(const struct wt_view_column *column, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++) {
		struct wt_view_range *range = &column->ranges[i];

		if (column->real)
			*range = (struct wt_view_range){.low.f = HUGE_VAL, .high.f = -HUGE_VAL};
		else
			*range = (struct wt_view_range){.low.i = LARGEST, .high.i = -LARGEST};
	}
}

bool wt_view_range_any(const struct wt_view_column *column, const struct wt_view_range *range)
{
	return column->real ? range->low.f <= range->high.f : range->low.i <= range->high.i;
}

void wt_view_range_take(struct wt_view_column *column, uint32_t node, union wt_view_bound value)
{
	const struct wt_view_range one = {.low = value, .high = value};

	wt_view_range_join(column, node, &one);
}

void wt_view_range_join(struct wt_view_column *column, uint32_t node, const struct wt_view_range *from)
{
	struct wt_view_range *range = &column->ranges[node];

	if (column->real) {
		range->low.f = from->low.f < range->low.f ? from->low.f : range->low.f;
		range->high.f = from->high.f > range->high.f ? from->high.f : range->high.f;
	} else {
		range->low.i = from->low.i < range->low.i ? from->low.i : range->low.i;
		range->high.i = from->high.i > range->high.i ? from->high.i : range->high.i;
	}
}

void wt_view_range_clamp(const struct wt_view_column *column, uint32_t node, struct wt_view_cell *cell)
{
	const struct wt_view_range *range = &column->ranges[node];

	if (cell->kind == WT_CELL_REAL && wt_view_range_any(column, range)) {
		cell->f = cell->f < range->low.f ? range->low.f : cell->f;
		cell->f = cell->f > range->high.f ? range->high.f : cell->f;
	}
	if (cell->kind == WT_CELL_INTEGER && wt_view_range_any(column, range)) {
		cell->i = cell->i < range->low.i ? range->low.i : cell->i;
		cell->i = cell->i > range->high.i ? range->high.i : cell->i;
	}
}
