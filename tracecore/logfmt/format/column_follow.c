// SPDX-License-Identifier: MIT
/* Reads columns that follow another column, or a clock: SAME, LAST and TICKS. */
#include <string.h>

#include "tracecore/logfmt/format/column.h"

/* The header of such a column; rows and values are in the room. */
struct following {
	struct wt_log_column_view other;
	uint32_t lag, misses;
	uint64_t *keys, *rows, *values, *last;
};

static int find_other(const struct wt_log_column_view *view, uint16_t id, struct wt_log_column_view *ret)
{
	struct wt_cursor before = view->before;

	for (unsigned i = 0; i < WT_DISK_FOLLOWED; i++) {
		if (wt_log_column_next(&before, ret))
			return -1;
		if (ret->id == id)
			return 0;
	}
	return -1;
}

/* The column of the misses: an integer column of its own. */
static int get_nested(struct wt_cursor *data, uint32_t n, uint64_t *out)
{
	struct wt_log_column_view view;

	return wt_log_column_next(data, &view) || wt_log_get_ints(&view, n, out) ? -1 : 0;
}

/* Rows of a block of n, rising. */
static bool are_rows(const uint64_t *rows, uint32_t count, uint32_t n)
{
	for (uint32_t i = 0; i < count; i++)
		if (rows[i] >= n || (i && rows[i] <= rows[i - 1]))
			return false;
	return true;
}

static int get_misses(struct wt_cursor *data, uint32_t n, struct following *ret)
{
	ret->misses = wt_cur_u32(data);
	if (data->bad || ret->misses > n)
		return -1;
	if (ret->misses &&
	    (get_nested(data, ret->misses, ret->rows) || get_nested(data, ret->misses, ret->values)))
		return -1;
	return !are_rows(ret->rows, ret->misses, n) || wt_cur_left(data) ? -1 : 0;
}

static int get_following(const struct wt_log_column_view *view, uint32_t n, struct wt_log_column_room *room,
			 struct following *ret)
{
	struct wt_cursor data = view->data;
	uint16_t id = wt_cur_u16(&data);

	ret->keys = room->spare;
	ret->rows = ret->keys + room->cap;
	ret->values = ret->rows + room->cap;
	ret->last = ret->values + room->cap;
	ret->lag = wt_cur_u8(&data);
	if (ret->lag > 1 || wt_cur_u8(&data) || get_misses(&data, n, ret))
		return -1;
	return find_other(view, id, &ret->other);
}

static int get_same(const struct following *how, uint32_t n, uint64_t *out)
{
	if (wt_log_get_ints(&how->other, n, how->keys))
		return -1;
	out[0] = 0;
	memcpy(out + how->lag, how->keys, (n - how->lag) * sizeof(*out));
	for (uint32_t i = 0; i < how->misses; i++)
		out[how->rows[i]] = how->values[i];
	return 0;
}

/* Decodes rows [from, to), none of which is missed. */
static void tell(const struct following *how, uint32_t from, uint32_t to, uint64_t *out)
{
	for (uint32_t i = from; i < to; i++)
		out[i] = i < how->lag ? 0 : how->last[how->keys[i - how->lag]];
}

static int get_last(const struct following *how, uint32_t n, uint64_t *out)
{
	uint32_t entries, at = 0;

	if (wt_log_get_codes(&how->other, n, how->keys, &entries) || entries > n)
		return -1;
	memset(how->last, 0, entries * sizeof(*how->last));
	for (uint32_t i = 0; i < how->misses; i++) {
		uint32_t row = (uint32_t)how->rows[i];

		tell(how, at, row, out);
		out[row] = how->values[i];
		if (row >= how->lag)
			how->last[how->keys[row - how->lag]] = how->values[i];
		at = row + 1;
	}
	tell(how, at, n, out);
	return 0;
}

static int get_ticks(const struct wt_log_column_view *view, uint32_t n, struct wt_log_column_room *room,
		     uint64_t *out)
{
	struct wt_cursor data = view->data;
	struct wt_log_ticks how = {.origin = wt_cur_u64(&data)};
	uint64_t *rows = room->spare, *offsets = rows + room->cap;
	uint32_t pieces;

	how.unit = wt_cur_u64(&data);
	if (get_nested(&data, n, out))
		return -1;
	pieces = wt_cur_u32(&data);
	if (data.bad || !pieces || pieces > n || get_nested(&data, pieces, rows) ||
	    get_nested(&data, pieces, offsets) || !are_rows(rows, pieces, n) || rows[0] || wt_cur_left(&data))
		return -1;
	for (uint32_t piece = 0, i = 0; piece < pieces; piece++)
		for (uint64_t end = piece + 1 < pieces ? rows[piece + 1] : n; i < end; i++)
			out[i] = wt_log_time_of(&how, out[i], offsets[piece]);
	return 0;
}

int wt_log_get_words(const struct wt_log_column_view *view, uint32_t n, uint64_t *out,
		     struct wt_log_column_room *room)
{
	struct following how;

	if (view->encoding < WT_DISK_SAME)
		return wt_log_get_ints(view, n, out);
	if (n == 0 || n > room->cap || view->width)
		return -1;
	if (view->encoding == WT_DISK_TICKS)
		return get_ticks(view, n, room, out);
	if (view->encoding > WT_DISK_LAST || get_following(view, n, room, &how))
		return -1;
	return view->encoding == WT_DISK_SAME ? get_same(&how, n, out) : get_last(&how, n, out);
}
