// SPDX-License-Identifier: MIT
#include "tracecore/logfmt/format/ranges.h"

#include <stdlib.h>

#include "tracecore/base/bound.h"

/* ---- writing ---- */

void wt_log_range_notes_deinit(struct wt_log_range_notes *notes)
{
	wt_log_cols_deinit(&notes->rows);
	*notes = (struct wt_log_range_notes){0};
}

void wt_log_range_notes_clear(struct wt_log_range_notes *notes)
{
	if (notes->rows.cols)
		wt_log_cols_clear(&notes->rows);
	notes->kept = 0;
	notes->many = false;
}

static int note_field(struct wt_log_cols *rows, const struct wt_disk_block_header *header, uint32_t field,
		      int64_t least, int64_t most, struct wt_err *err)
{
	const uint64_t words[WT_DISK_RANGE_COLUMNS] = {
		[WT_DISK_RANGE_KIND] = header->kind,     [WT_DISK_RANGE_TIME] = header->time_min,
		[WT_DISK_RANGE_COUNT] = header->count,   [WT_DISK_RANGE_FIELD] = field,
		[WT_DISK_RANGE_LEAST] = (uint64_t)least, [WT_DISK_RANGE_MOST] = (uint64_t)most,
	};

	if (wt_log_cols_room(rows, err))
		return -1;
	for (uint32_t c = 0; c < WT_DISK_RANGE_COLUMNS; c++)
		rows->cols[c].words[rows->n] = words[c];
	rows->n++;
	return 0;
}

static int note_column(struct wt_log_cols *rows, const struct wt_disk_block_header *header,
		       const struct wt_log_col *col, uint32_t from, struct wt_err *err)
{
	int64_t least = (int64_t)(col->same ? col->value : col->words[from]), most = least;

	for (uint32_t i = from; !col->same && i < from + header->count; i++) {
		int64_t word = (int64_t)col->words[i];

		least = word < least ? word : least;
		most = word > most ? word : most;
	}
	return note_field(rows, header, col->id - WT_DISK_EVENT_FIELD, least, most, err);
}

int wt_log_range_note(struct wt_log_range_notes *notes, const struct wt_disk_block_header *header,
		      const struct wt_log_cols *events, uint32_t from, uint32_t ranged, struct wt_err *err)
{
	if (header->count < ranged || notes->many)
		return 0;
	if (!notes->rows.cols && wt_log_cols_init(&notes->rows, WT_DISK_RANGE_COLUMNS, err))
		return -1;
	for (uint32_t c = 0; c < events->n_cols; c++) {
		const struct wt_log_col *col = &events->cols[c];

		if (!col->items && col->id >= WT_DISK_EVENT_FIELD &&
		    note_column(&notes->rows, header, col, from, err))
			return -1;
	}
	if (notes->rows.n > WT_LOG_MOST_RANGES) {
		wt_log_range_notes_clear(notes);
		notes->many = true;
	}
	return 0;
}

/* ---- reading ---- */

static int order(uint64_t time, uint32_t kind, uint32_t count, const struct wt_log_range *range)
{
	if (time != range->time)
		return time < range->time ? -1 : 1;
	if (kind != range->kind)
		return kind < range->kind ? -1 : 1;
	return (count > range->count) - (count < range->count);
}

static int by_block(const void *a, const void *b)
{
	const struct wt_log_range *x = a, *y = b;
	int rc = order(x->time, x->kind, x->count, y);

	return rc ? rc : (x->field > y->field) - (x->field < y->field);
}

void wt_log_ranges_sort(struct wt_log_range *ranges, uint32_t n)
{
	if (n)
		qsort(ranges, n, sizeof(*ranges), by_block);
}

const struct wt_log_range *wt_log_ranges_of(const struct wt_log_range *ranges, uint32_t n_ranges,
					    const struct wt_disk_block_header *header, uint32_t *n)
{
	uint32_t low = WT_BOUND(i, 0, n_ranges,
				order(header->time_min, header->kind, header->count, &ranges[i]) > 0);

	*n = 0;
	while (low + *n < n_ranges &&
	       !order(header->time_min, header->kind, header->count, &ranges[low + *n]))
		++*n;
	return *n ? ranges + low : NULL;
}
