/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A table of text as wperf has it: 8 blanks of margin, 2 between columns, titles underlined with '='.
 * Numbers stand at the right of their column, words at the left; nothing stands behind the last word of a
 * line.
 */
#ifndef TOOLS_STAT_TABLE_H
#define TOOLS_STAT_TABLE_H

#include <stdbool.h>

#include "tracecore/base/buf.h"

enum { WT_TABLE_MOST_COLUMNS = 12 };

struct wt_table_column {
	const char *title;
	bool number;
};

/** Zeroed is empty. */
struct wt_table {
	struct wt_table_column columns[WT_TABLE_MOST_COLUMNS];
	size_t n_columns;
	size_t n_cells;      /**< row by row */
	struct wt_buf cells; /**< owned; texts with their zeros */
};

void wt_table_column(struct wt_table *table, const char *title, bool number);
/** The next cell, from left to right, then the next row; control characters are escaped. */
void wt_table_cell(struct wt_table *table, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/** A whole number with commas between thousands. */
void wt_table_count(struct wt_table *table, double count);
/** Writes it and empties it. */
void wt_table_print(struct wt_table *table, struct wt_buf *out);
void wt_table_deinit(struct wt_table *table);

/** A whole number with commas between thousands; rounded. */
void wt_commas(double count, struct wt_buf *out);

#endif
