// SPDX-License-Identifier: MIT
#include "tracecore/logfmt/format/items.h"

#include <string.h>

#include "tracecore/logfmt/format/keys.h"

/* Interns the items. False when more than half of them differ: then a dictionary costs more than it saves. */
static bool intern_items(const uint8_t *bytes, uint64_t start, const uint64_t *ends, uint32_t n,
			 struct wt_log_column_scratch *scratch)
{
	uint32_t limit = n / 2;

	wt_strings_clear(&scratch->strings);
	for (uint32_t i = 0; i < n; i++) {
		bool fresh;
		uint32_t id = wt_strings_add(&scratch->strings, bytes + start, ends[i] - start, &fresh);

		if (id == WT_INTERN_NONE || scratch->strings.count > limit)
			return false;
		scratch->words[i] = id;
		start = ends[i];
	}
	return true;
}

void wt_log_put_items(struct wt_buf *out, uint16_t id, const uint8_t *bytes, uint64_t start,
		      const uint64_t *ends, uint32_t n, struct wt_log_column_scratch *scratch)
{
	size_t at;

	if (ends[n - 1] == start || n < WT_LOG_DICT_MIN || !intern_items(bytes, start, ends, n, scratch)) {
		if (scratch->keys && scratch->keys->rows >= WT_LOG_KEY_ROWS &&
		    wt_log_put_numbered(out, id, bytes, start, ends, n, scratch))
			return;
		wt_log_put_plain(out, id, bytes, start, ends, n, scratch);
		return;
	}
	at = wt_log_begin_column(out, scratch);
	wt_buf_put_u32(out, scratch->strings.count);
	/* Writes the indices first, because writing the entries reuses the words. */
	wt_log_put_words(out, 1, scratch->words, n, scratch);
	wt_log_put_strings(out, scratch);
	wt_log_end_column(out, at, id, WT_DISK_BYTES_DICT, 0);
}

/* Reads the entries of a dictionary into room->entries, and its n checked indices into room->words. */
static int get_bytes_dict(const struct wt_log_column_view *view, uint32_t n, struct wt_log_column_room *room)
{
	struct wt_cursor data = view->data;
	uint32_t count = wt_cur_u32(&data);
	struct wt_log_column_view indices, items;
	uint64_t most = 0;

	if (wt_log_column_next(&data, &indices) || wt_log_column_next(&data, &items) || wt_cur_left(&data))
		return -1;
	indices.before = view->before;
	if (count == 0 || count > n || wt_log_get_plain_strs(&items, count, room->entries, room->words) ||
	    wt_log_get_words(&indices, n, room->words, room))
		return -1;
	for (uint32_t i = 0; i < n; i++)
		most = room->words[i] > most ? room->words[i] : most;
	return most < count ? 0 : -1;
}

static int get_numbered_strs(const struct wt_log_column_view *view, uint32_t n, struct wt_str *out,
			     struct wt_log_column_room *room)
{
	size_t left = WT_DISK_MAX_ITEMS;
	const uint8_t *bytes;

	if (wt_log_get_numbered(view, n, room->offsets, &bytes, &room->texts, &left, room))
		return -1;
	for (uint32_t i = 0; i < n; i++)
		out[i] = (struct wt_str){(const char *)bytes + room->offsets[i],
					 room->offsets[i + 1] - room->offsets[i]};
	return 0;
}

int wt_log_get_strs(const struct wt_log_column_view *view, uint32_t n, struct wt_str *out,
		    struct wt_log_column_room *room)
{
	if (n == 0 || n > room->cap)
		return -1;
	if (view->encoding == WT_DISK_NUMBERED)
		return get_numbered_strs(view, n, out, room);
	if (view->encoding != WT_DISK_BYTES_DICT)
		return wt_log_get_plain_strs(view, n, out, room->words);
	if (get_bytes_dict(view, n, room))
		return -1;
	for (uint32_t i = 0; i < n; i++)
		out[i] = room->entries[room->words[i]];
	return 0;
}

static int expand(uint32_t n, uint32_t *offsets, const uint8_t **bytes, struct wt_buf *store, size_t *left,
		  const struct wt_log_column_room *room)
{
	size_t sum = 0;
	uint8_t *p;

	for (uint32_t i = 0; i < n; i++) {
		offsets[i] = (uint32_t)sum;
		sum += room->entries[room->words[i]].len;
		if (sum > *left)
			return -1;
	}
	offsets[n] = (uint32_t)sum;
	*left -= sum;
	wt_buf_clear(store);
	p = wt_buf_reserve(store, sum + 1);
	if (!p)
		return -1;
	*bytes = p;
	for (uint32_t i = 0; i < n; i++) {
		const struct wt_str *entry = &room->entries[room->words[i]];

		memcpy(p, entry->p, entry->len);
		p += entry->len;
	}
	return 0;
}

int wt_log_get_items(const struct wt_log_column_view *view, uint32_t n, uint32_t *offsets,
		     const uint8_t **bytes, struct wt_buf *store, size_t *left,
		     struct wt_log_column_room *room)
{
	size_t sum = 0;

	if (n == 0 || n > room->cap)
		return -1;
	if (view->encoding == WT_DISK_BYTES_DICT)
		return get_bytes_dict(view, n, room) ? -1 : expand(n, offsets, bytes, store, left, room);
	if (view->encoding == WT_DISK_NUMBERED)
		return wt_log_get_numbered(view, n, offsets, bytes, store, left, room);
	if (wt_log_get_lengths(view, n, room->words, bytes))
		return -1;
	for (uint32_t i = 0; i < n; i++) {
		offsets[i] = (uint32_t)sum;
		sum += room->words[i];
	}
	offsets[n] = (uint32_t)sum;
	if (sum > *left)
		return -1;
	*left -= sum;
	return 0;
}
