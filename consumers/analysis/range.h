/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The least and the largest value of each row of a column of quantiles: a quantile is known to within its
 * bucket, and what is said of it lies between the two.
 */
#ifndef CONSUMERS_ANALYSIS_RANGE_H
#define CONSUMERS_ANALYSIS_RANGE_H

#include "consumers/analysis/column.h"

/** Integers and times as i, floats as f, as the column has it; low above high: no value yet. */
struct wt_view_range {
	union wt_view_bound {
		__int128 i;
		double f;
	} low, high;
};

/** Rows from...to hold no values. */
void wt_view_range_init(const struct wt_view_column *column, uint32_t from, uint32_t to);
/** It holds values. */
bool wt_view_range_any(const struct wt_view_column *column, const struct wt_view_range *range);
/** A value of a row. */
void wt_view_range_take(struct wt_view_column *column, uint32_t node, union wt_view_bound value);
/** All values of `from`, of a column of the same field. */
void wt_view_range_join(struct wt_view_column *column, uint32_t node, const struct wt_view_range *from);
/** Moves a value that is outside of a row's range to its end. */
void wt_view_range_clamp(const struct wt_view_column *column, uint32_t node, struct wt_view_cell *cell);

#endif
