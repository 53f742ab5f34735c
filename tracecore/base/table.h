/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A table of text like wperf's: 8 blanks of margin, 2 blanks between columns, titles underlined with '='.
 * Numbers stand at the right of their column, words at the left; a line has no blanks after its last word.
 */
#ifndef TRACECORE_BASE_TABLE_H
#define TRACECORE_BASE_TABLE_H

#include <stdbool.h>

#include "tracecore/base/buf.h"
#include "tracecore/base/json.h"

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
/** Adds the next cell, from left to right, then in the next row. Control characters are escaped. At most
 * 4095 bytes. */
void wt_table_cell(struct wt_table *table, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/** Adds a whole number with commas between thousands. */
void wt_table_count(struct wt_table *table, double count);
/** Writes it and empties it. */
void wt_table_print(struct wt_table *table, struct wt_buf *out);
/** Writes the table as an array of objects, the value of key, and empties it. The key of a value is the
 * title of its column, with '_' for blanks; all values are texts. */
void wt_table_json(struct wt_table *table, const char *key, struct wt_json *json);
/** Writes a JSON document that has nothing else: {key: [...]}. */
void wt_table_document(struct wt_table *table, const char *key, struct wt_buf *out);
void wt_table_deinit(struct wt_table *table);

/** Adds a whole number, rounded, with commas between thousands. */
void wt_commas(double count, struct wt_buf *out);

#endif
