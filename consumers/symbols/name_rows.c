/* SPDX-License-Identifier: MIT */
#include "consumers/symbols/name_rows.h"

#include <string.h>

#include "tracecore/base/bound.h"

void wt_name_rows_put(const struct wt_symtab *table, size_t from, size_t to, uint64_t base,
		      struct wt_buf *rows, struct wt_buf *names)
{
	uint32_t last = UINT32_MAX;
	size_t at = 0;

	/* Spans of one function follow each other and share its name. */
	for (const struct wt_symtab_span *span = table->spans + from; span < table->spans + to; span++) {
		if (span->name != last) {
			const char *name = table->names + span->name;

			at = names->len;
			wt_buf_put(names, name, strlen(name) + 1);
		}
		last = span->name;
		wt_buf_put_u64(rows, span->start - base);
		wt_buf_put_u32(rows, span->size);
		wt_buf_put_u32(rows, span->back);
		wt_buf_put_u32(rows, (uint32_t)at);
	}
}

bool wt_name_rows_of(struct wt_cursor rows, struct wt_cursor names, uint64_t base, struct wt_name_rows *ret)
{
	size_t n = wt_cur_left(&rows) / WT_NAME_ROW, names_len = wt_cur_left(&names);

	if (wt_cur_left(&rows) % WT_NAME_ROW || (n && !names_len) || (names_len && names.pos[names_len - 1]))
		return false;
	*ret = (struct wt_name_rows){.rows = rows.pos,
				     .names = (const char *)names.pos,
				     .n = n,
				     .names_len = names_len,
				     .base = base};
	return true;
}

/* The row's start, counted from the table's base: below it in two's complement, so starts are compared as
 * addresses. */
static uint64_t start_of(const struct wt_name_rows *rows, size_t i)
{
	return wt_load_u64(rows->rows + i * WT_NAME_ROW) + rows->base;
}

bool wt_name_rows_find(const struct wt_name_rows *rows, uint64_t address, struct wt_symtab_hit *ret)
{
	size_t low = WT_BOUND(i, 0, rows->n, start_of(rows, i) <= address);
	uint64_t start, offset;
	struct wt_cursor row;
	uint32_t name, size;

	if (!low)
		return false;
	row = wt_cursor(rows->rows + (low - 1) * WT_NAME_ROW, WT_NAME_ROW);
	start = wt_cur_u64(&row) + rows->base;
	size = wt_cur_u32(&row);
	if (start > address || address - start >= size)
		return false;
	offset = wt_cur_u32(&row) + (address - start);
	name = wt_cur_u32(&row);
	if (name >= rows->names_len)
		return false;
	ret->name = rows->names + name;
	ret->offset = offset > UINT32_MAX ? UINT32_MAX : (uint32_t)offset;
	ret->left = size - (uint32_t)(address - start);
	return true;
}
