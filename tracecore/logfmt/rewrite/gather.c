// SPDX-License-Identifier: MIT
#include "tracecore/logfmt/rewrite/gather.h"

#include <stdlib.h>
#include <string.h>

void wt_log_gather_deinit(struct wt_log_gather *gather)
{
	wt_log_cols_deinit(&gather->set);
	wt_log_column_room_deinit(&gather->room);
	free(gather->texts);
	*gather = (struct wt_log_gather){0};
}

void wt_log_gather_clear(struct wt_log_gather *gather)
{
	wt_log_cols_deinit(&gather->set);
	gather->bytes = 0;
}

struct wt_log_col *wt_log_gather_column(const struct wt_log_gather *gather, uint16_t id)
{
	for (uint32_t c = 0; c < gather->set.n_cols; c++)
		if (gather->set.cols[c].id == id)
			return &gather->set.cols[c];
	return NULL;
}

static bool is_items(uint8_t encoding)
{
	return encoding == WT_DISK_FIXED || encoding == WT_DISK_BYTES || encoding == WT_DISK_BYTES_DICT ||
	       encoding == WT_DISK_NUMBERED;
}

/* The items of activities may be absent. Other items are written even when all are empty. */
static bool may_be_absent(uint16_t id)
{
	return id == WT_DISK_EVENT_ACTIVITY || id == WT_DISK_EVENT_RELATED;
}

static struct wt_log_col *column_for(struct wt_log_gather *gather, uint16_t id, bool items)
{
	struct wt_log_col *col = wt_log_gather_column(gather, id);
	struct wt_err ignored;

	if (col)
		return col;
	if (wt_log_cols_add(&gather->set, id, &ignored))
		return NULL;
	col = &gather->set.cols[gather->set.n_cols - 1];
	col->items = items;
	col->optional = items && may_be_absent(id);
	return col;
}

static bool room_for(struct wt_log_gather *gather, uint32_t rows)
{
	struct wt_err ignored;

	while (gather->set.cap < gather->set.n + rows)
		if (wt_log_cols_grow(&gather->set, &ignored))
			return false;
	if (gather->texts && gather->room.cap >= rows)
		return true;
	free(gather->texts);
	gather->texts = malloc((size_t)rows * sizeof(*gather->texts));
	return gather->texts && wt_log_column_room(&gather->room, rows);
}

static int take_items(struct wt_log_gather *gather, struct wt_log_col *col,
		      const struct wt_log_column_view *view, uint32_t rows)
{
	uint64_t *ends = col->words + gather->set.n;

	if (wt_log_get_strs(view, rows, gather->texts, &gather->room))
		return 1;
	for (uint32_t i = 0; i < rows; i++) {
		if (gather->texts[i].len)
			wt_buf_put(&col->bytes, gather->texts[i].p, gather->texts[i].len);
		ends[i] = col->bytes.len;
	}
	if (col->bytes.len > WT_LOG_COL_MAX)
		return 1;
	return col->bytes.failed ? -1 : 0;
}

static int take_column(struct wt_log_gather *gather, const struct wt_log_column_view *view, uint32_t rows)
{
	bool items = is_items(view->encoding);
	struct wt_log_col *col = column_for(gather, view->id, items);

	if (!col)
		return -1;
	if (col->items != items)
		return 1;
	col->same = true; /* taken from this block */
	if (items)
		return take_items(gather, col, view, rows);
	return wt_log_get_words(view, rows, col->words + gather->set.n, &gather->room) ? 1 : 0;
}

/* Fills columns that the block does not have. */
static void fill_absent(struct wt_log_gather *gather, uint32_t rows)
{
	struct wt_log_cols *set = &gather->set;

	for (uint32_t c = 0; c < set->n_cols; c++) {
		struct wt_log_col *col = &set->cols[c];

		for (uint32_t i = 0; !col->same && i < rows; i++)
			col->words[set->n + i] = col->items ? col->bytes.len : 0;
		col->same = false;
	}
}

int wt_log_gather_add(struct wt_log_gather *gather, const uint8_t *raw, uint32_t raw_size, uint32_t rows)
{
	struct wt_cursor payload = wt_cursor(raw, raw_size);
	struct wt_log_column_view view;
	int rc;

	if (!room_for(gather, rows))
		return -1;
	while ((rc = wt_log_column_next(&payload, &view)) == 0) {
		rc = take_column(gather, &view, rows);
		if (rc)
			return rc;
	}
	if (rc < 0)
		return 1;
	fill_absent(gather, rows);
	gather->set.n += rows;
	gather->bytes += raw_size;
	return 0;
}

static void select_items(struct wt_log_col *to, const struct wt_log_col *from, const uint32_t *rows,
			 uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint64_t start = rows[i] ? from->words[rows[i] - 1] : 0;

		if (from->words[rows[i]] > start)
			wt_buf_put(&to->bytes, from->bytes.data + start, from->words[rows[i]] - start);
		to->words[i] = to->bytes.len;
	}
}

int wt_log_gather_select(struct wt_log_gather *to, const struct wt_log_gather *from, const uint32_t *rows,
			 uint32_t n)
{
	wt_log_gather_clear(to);
	if (!room_for(to, n))
		return -1;
	for (uint32_t c = 0; c < from->set.n_cols; c++) {
		const struct wt_log_col *source = &from->set.cols[c];
		struct wt_log_col *col = column_for(to, source->id, source->items);

		if (!col)
			return -1;
		if (source->items)
			select_items(col, source, rows, n);
		for (uint32_t i = 0; !source->items && i < n; i++)
			col->words[i] = source->words[rows[i]];
		if (col->bytes.failed)
			return -1;
	}
	to->set.n = n;
	return 0;
}
