// SPDX-License-Identifier: MIT
#include "tracecore/logfmt/format/cols.h"

#include <stdlib.h>
#include <string.h>

#include "tracecore/logfmt/format/items.h"
#include "tracecore/logfmt/format/ticks.h"

#define FIRST_ROWS 32
/* Soft bound of a block's payload, far below WT_DISK_MAX_RAW, so that one more row always fits. */
#define BLOCK_BYTES (4u << 20)
/* Capacity below which no memory is given back... */
#define KEEP_ROWS 2048
/* ...and the number of times in a row that it must have been mostly unused. */
#define KEEP_CLEARS 64

int wt_log_cols_init(struct wt_log_cols *set, uint32_t n_cols, struct wt_err *err)
{
	*set = (struct wt_log_cols){.n_cols = n_cols};
	set->cols = calloc(n_cols, sizeof(*set->cols));
	if (!set->cols)
		return wt_fail_nomem(err);
	for (uint32_t c = 0; c < n_cols; c++)
		set->cols[c].id = (uint16_t)c;
	return 0;
}

static void free_rows(struct wt_log_cols *set)
{
	for (uint32_t c = 0; c < set->n_cols; c++) {
		free(set->cols[c].words);
		set->cols[c].words = NULL;
		wt_buf_deinit(&set->cols[c].bytes);
	}
	set->cap = 0;
}

void wt_log_cols_deinit(struct wt_log_cols *set)
{
	if (set->cols)
		free_rows(set);
	free(set->cols);
	*set = (struct wt_log_cols){0};
}

int wt_log_cols_grow(struct wt_log_cols *set, struct wt_err *err)
{
	uint32_t cap = set->cap ? set->cap * 2 : FIRST_ROWS;

	if (cap <= set->cap)
		return wt_fail_nomem(err);
	for (uint32_t c = 0; c < set->n_cols; c++) {
		uint64_t *words = realloc(set->cols[c].words, cap * sizeof(*words));

		if (!words)
			return wt_fail_nomem(err);
		set->cols[c].words = words;
	}
	set->cap = cap;
	return 0;
}

static void fill(uint64_t *words, uint32_t n, uint64_t value)
{
	for (uint32_t i = 0; i < n; i++)
		words[i] = value;
}

void wt_log_col_fill(struct wt_log_col *col, uint32_t row, uint32_t n, uint64_t value)
{
	if (!row) {
		col->same = true;
		col->value = value;
	}
	if (col->same && col->value == value)
		return;
	if (col->same)
		fill(col->words, row, col->value);
	col->same = false;
	fill(col->words + row, n, value);
}

int wt_log_cols_add(struct wt_log_cols *set, uint16_t id, struct wt_err *err)
{
	struct wt_log_col *cols = realloc(set->cols, (set->n_cols + (size_t)1) * sizeof(*cols));
	uint64_t *words = cols ? calloc((size_t)set->cap + 1, sizeof(*words)) : NULL;

	if (cols)
		set->cols = cols;
	if (!words)
		return wt_fail_nomem(err);
	cols[set->n_cols++] = (struct wt_log_col){.id = id, .items = true, .optional = true, .words = words};
	return 0;
}

size_t wt_log_cols_bytes(const struct wt_log_cols *set)
{
	size_t bytes = (size_t)set->n * set->n_cols * sizeof(uint64_t);

	for (uint32_t c = 0; c < set->n_cols; c++)
		bytes += set->cols[c].bytes.len;
	return bytes;
}

/* Merge sort of row numbers by key, bottom up; half is the second buffer. Returns the sorted buffer. */
static uint32_t *sort_rows(const uint64_t *key, uint32_t n, uint32_t *rows, uint32_t *half)
{
	for (uint64_t step = 1; step < n; step *= 2) {
		uint32_t *swap = rows;

		for (uint64_t lo = 0; lo < n; lo += 2 * step) {
			uint64_t mid = lo + step < n ? lo + step : n;
			uint64_t hi = mid + step < n ? mid + step : n;
			uint64_t a = lo, b = mid;

			for (uint64_t i = lo; i < hi; i++)
				half[i] = b >= hi || (a < mid && key[rows[a]] <= key[rows[b]]) ? rows[a++]
											       : rows[b++];
		}
		rows = half;
		half = swap;
	}
	return rows;
}

static void reorder_items(struct wt_log_col *col, const uint32_t *rows, uint32_t n, uint64_t *words,
			  uint8_t *bytes)
{
	size_t len = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t start = rows[i] ? col->words[rows[i] - 1] : 0;
		size_t item = col->words[rows[i]] - start;

		if (item)
			memcpy(bytes + len, col->bytes.data + start, item);
		len += item;
		words[i] = len;
	}
	if (len)
		memcpy(col->bytes.data, bytes, len);
}

static void reorder(struct wt_log_cols *set, const uint32_t *rows, uint64_t *words, uint8_t *bytes)
{
	for (uint32_t c = 0; c < set->n_cols; c++) {
		struct wt_log_col *col = &set->cols[c];

		if (col->same)
			continue;
		if (col->items)
			reorder_items(col, rows, set->n, words, bytes);
		for (uint32_t i = 0; !col->items && i < set->n; i++)
			words[i] = col->words[rows[i]];
		memcpy(col->words, words, set->n * sizeof(*words));
	}
}

/* All memory is taken first, so that a failure leaves the rows unchanged. */
int wt_log_cols_sort(struct wt_log_cols *set, struct wt_err *err)
{
	uint32_t *rows = malloc(2 * (size_t)set->n * sizeof(*rows) + 1);
	uint64_t *words = malloc((size_t)set->n * sizeof(*words) + 1);
	uint8_t *bytes;
	size_t most = 0;
	int rc = -1;

	for (uint32_t c = 0; c < set->n_cols; c++)
		most = set->cols[c].bytes.len > most ? set->cols[c].bytes.len : most;
	bytes = malloc(most + 1);
	if (rows && words && bytes) {
		for (uint32_t i = 0; i < set->n; i++)
			rows[i] = i;
		reorder(set, sort_rows(set->cols[0].words, set->n, rows, rows + set->n), words, bytes);
		rc = 0;
	}
	free(rows);
	free(words);
	free(bytes);
	return rc ? wt_fail_nomem(err) : 0;
}

static uint64_t end_before(const struct wt_log_col *col, uint32_t row)
{
	return row ? col->words[row - 1] : 0;
}

static size_t run_bytes(const struct wt_log_cols *set, uint32_t from, uint32_t to)
{
	size_t bytes = (size_t)(to - from) * set->n_cols * sizeof(uint64_t);

	for (uint32_t c = 0; c < set->n_cols; c++) {
		if (set->cols[c].items)
			bytes += end_before(&set->cols[c], to) - end_before(&set->cols[c], from);
	}
	return bytes;
}

uint32_t wt_log_cols_run(const struct wt_log_cols *set, uint32_t from)
{
	uint32_t lo = from + 1;
	uint32_t hi = set->n - from > WT_DISK_MAX_ROWS ? from + WT_DISK_MAX_ROWS : set->n;

	while (lo < hi) {
		uint32_t mid = hi - (hi - lo) / 2;

		if (run_bytes(set, from, mid) <= BLOCK_BYTES)
			lo = mid;
		else
			hi = mid - 1;
	}
	return lo;
}

static bool all_zero(const uint64_t *words, uint32_t n)
{
	return !words[0] && wt_log_column_constant(words, n);
}

static void put_ints(const struct wt_log_col *col, uint32_t from, uint32_t n, struct wt_buf *out,
		     struct wt_log_column_scratch *scratch)
{
	if (!col->same && scratch->keys && scratch->keys->rows == n && col->id == WT_DISK_EVENT_TIME &&
	    wt_log_put_ticks(out, col->id, col->words + from, n, scratch))
		return;
	if (!col->same && !all_zero(col->words + from, n))
		wt_log_put_words(out, col->id, col->words + from, n, scratch);
	else if (col->same && col->value)
		wt_log_put_ints(out, col->id, &col->value, 1, scratch);
}

void wt_log_cols_put(const struct wt_log_cols *set, uint32_t from, uint32_t to, struct wt_buf *out,
		     struct wt_log_column_scratch *scratch)
{
	scratch->n_cuts = 0;
	if (scratch->keys)
		wt_log_put_keys(set, from, to, out, scratch);
	for (uint32_t c = 0; c < set->n_cols; c++) {
		const struct wt_log_col *col = &set->cols[c];

		if (scratch->keys && wt_log_is_key(scratch->keys, col->id))
			continue;
		if (col->items && !(col->optional && end_before(col, to) == end_before(col, from)))
			wt_log_put_items(out, col->id, col->bytes.data, end_before(col, from),
					 col->words + from, to - from, scratch);
		else if (!col->items)
			put_ints(col, from, to - from, out, scratch);
	}
}

void wt_log_cols_clear(struct wt_log_cols *set)
{
	set->n_sparse = set->cap > KEEP_ROWS && set->n < set->cap / 4 ? set->n_sparse + 1 : 0;
	if (set->n_sparse == KEEP_CLEARS)
		free_rows(set);
	for (uint32_t c = 0; c < set->n_cols; c++) {
		wt_buf_clear(&set->cols[c].bytes);
		if (set->cols[c].bytes.cap > BLOCK_BYTES)
			wt_buf_deinit(&set->cols[c].bytes);
	}
	set->n = 0;
}
