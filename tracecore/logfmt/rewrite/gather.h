/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Joins the rows of several blocks, even if their columns differ. This turns many small blocks into a few
 * large ones.
 *
 * The blocks are of one type (and kind). For the rows of a block that lacks a column, the
 * column is zero or empty. One thread.
 */
#ifndef TRACECORE_LOGFMT_REWRITE_GATHER_H
#define TRACECORE_LOGFMT_REWRITE_GATHER_H

#include "tracecore/logfmt/format/cols.h"
#include "tracecore/logfmt/format/items.h"

struct wt_log_gather {
	struct wt_log_cols set; /**< columns in the order in which they first came */
	struct wt_log_column_room room;
	struct wt_str *texts; /**< owned; room->cap of them */
	uint64_t bytes;       /**< payload bytes taken since wt_log_gather_clear */
};

void wt_log_gather_deinit(struct wt_log_gather *gather);

/** Adds the rows of a payload. 0; 1: the payload cannot be decoded, or a column has another class than
 * before, and the gathered rows cannot be used; -1 no memory. */
int wt_log_gather_add(struct wt_log_gather *gather, const uint8_t *raw, uint32_t raw_size, uint32_t rows);

/** Forgets rows and columns. */
void wt_log_gather_clear(struct wt_log_gather *gather);

/** The column with that id, or NULL. */
struct wt_log_col *wt_log_gather_column(const struct wt_log_gather *gather, uint16_t id);

/** Replaces the rows of `to` by the n given rows of `from`, in the given order. -1 no memory. */
int wt_log_gather_select(struct wt_log_gather *to, const struct wt_log_gather *from, const uint32_t *rows,
			 uint32_t n);

#endif
