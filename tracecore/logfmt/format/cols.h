/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The pending rows of the writer for each kind and each table, already as columns.
 *
 * A column holds one 64-bit word per row: the value of an integer column, the end of the row's item in
 * `bytes` of an item column. One thread.
 */
#ifndef TRACECORE_LOGFMT_FORMAT_COLS_H
#define TRACECORE_LOGFMT_FORMAT_COLS_H

#include "tracecore/base/err.h"
#include "tracecore/logfmt/format/column.h"

/** Bytes of items that one column may hold pending. */
#define WT_LOG_COL_MAX ((size_t)1 << 30)

struct wt_log_col {
	uint16_t id;   /**< in the file */
	bool items;    /**< items, not integers */
	bool optional; /**< an item column that is left out when all items are empty */
	bool same;     /**< all rows have `value`; words are not filled */
	uint64_t value;
	uint64_t *words;     /**< owned; cap of them, n in use */
	struct wt_buf bytes; /**< of items */
};

struct wt_log_cols {
	struct wt_log_col *cols; /**< owned */
	uint32_t n_cols;
	uint32_t n;        /**< whole rows */
	uint32_t cap;      /**< rows that fit */
	uint32_t n_sparse; /**< times in a row that it was cleared when few of them were in use */
};

/** Makes n_cols integer columns with ids 0, 1...; the caller changes ids and items before the first row. */
int wt_log_cols_init(struct wt_log_cols *set, uint32_t n_cols, struct wt_err *err);
void wt_log_cols_deinit(struct wt_log_cols *set);

/** Adds an optional item column after the others. Existing rows have empty items in it. */
int wt_log_cols_add(struct wt_log_cols *set, uint16_t id, struct wt_err *err);

/** Makes room for one more row in every column. The caller then fills words[n] (and bytes) of all columns
 * and increments n. A row that is not counted has no effect, if item bytes are cut back to their last end. */
int wt_log_cols_grow(struct wt_log_cols *set, struct wt_err *err);
static inline int wt_log_cols_room(struct wt_log_cols *set, struct wt_err *err)
{
	return set->n < set->cap ? 0 : wt_log_cols_grow(set, err);
}

/** Gives n rows from `row` on one value. A column that is only filled by this stays `same` as long as
 * possible, which costs no memory access per row. */
void wt_log_col_fill(struct wt_log_col *col, uint32_t row, uint32_t n, uint64_t value);

/** The bytes of the pending rows, which count towards the writer's bound. */
size_t wt_log_cols_bytes(const struct wt_log_cols *set);

/** Sorts the rows by the words of column 0, stably. */
int wt_log_cols_sort(struct wt_log_cols *set, struct wt_err *err);

/** The end of the longest run of rows from `from` that fits into one block. */
uint32_t wt_log_cols_run(const struct wt_log_cols *set, uint32_t from);

/** Puts the columns of rows [from, to) into out, which is empty. scratch->cuts then has the begins of the
 * parts. Integer columns that are all zero are left out. */
void wt_log_cols_put(const struct wt_log_cols *set, uint32_t from, uint32_t to, struct wt_buf *out,
		     struct wt_log_column_scratch *scratch);

/** Drops all rows. Memory that was mostly unused for some time is given back. */
void wt_log_cols_clear(struct wt_log_cols *set);

#endif
