// SPDX-License-Identifier: MIT
/* Reads columns of integers that do not follow another column. */
#include "tracecore/logfmt/format/column.h"

#include <stdlib.h>
#include <string.h>

bool wt_log_column_room(struct wt_log_column_room *room, uint32_t n)
{
	if (n <= room->cap)
		return true;
	wt_log_column_room_deinit(room);
	room->words = malloc(n * sizeof(*room->words));
	room->entries = malloc(n * sizeof(*room->entries));
	room->spare = malloc(n * WT_LOG_SPARES * sizeof(*room->spare));
	room->offsets = malloc((n + (size_t)1) * sizeof(*room->offsets));
	room->cap = room->words && room->entries && room->spare && room->offsets ? n : 0;
	return room->cap != 0;
}

void wt_log_column_room_deinit(struct wt_log_column_room *room)
{
	free(room->words);
	free(room->entries);
	free(room->spare);
	free(room->offsets);
	wt_buf_deinit(&room->texts);
	*room = (struct wt_log_column_room){0};
}

int wt_log_column_next(struct wt_cursor *payload, struct wt_log_column_view *ret)
{
	uint32_t length;

	if (!payload->bad && wt_cur_left(payload) == 0)
		return 1;
	ret->before = wt_cursor(payload->base, wt_cur_offset(payload));
	ret->id = wt_cur_u16(payload);
	ret->encoding = wt_cur_u8(payload);
	ret->width = wt_cur_u8(payload);
	length = wt_cur_u32(payload);
	ret->data = wt_cur_sub(payload, length);
	return payload->bad ? -1 : 0;
}

/* out[i] = base + the word whose bytes lie in `width` planes of n bytes. The common widths have their own
 * loops: one pass, which the compiler turns into vector code. */
static void join_planes(const uint8_t *p, uint32_t n, unsigned width, uint64_t base, uint64_t *out)
{
	const uint8_t *a = p, *b = p + n, *c = b + n, *d = c + n;

	switch (width) {
	case 0:
		for (uint32_t i = 0; i < n; i++)
			out[i] = base;
		return;
	case 1:
		for (uint32_t i = 0; i < n; i++)
			out[i] = base + a[i];
		return;
	case 2:
		for (uint32_t i = 0; i < n; i++)
			out[i] = base + (a[i] | (uint32_t)b[i] << 8);
		return;
	case 3:
		for (uint32_t i = 0; i < n; i++)
			out[i] = base + (a[i] | (uint32_t)b[i] << 8 | (uint32_t)c[i] << 16);
		return;
	default:
		break;
	}
	for (uint32_t i = 0; i < n; i++)
		out[i] = base + (a[i] | (uint32_t)b[i] << 8 | (uint32_t)c[i] << 16 | (uint32_t)d[i] << 24);
	for (unsigned plane = 4; plane < width; plane++) {
		const uint8_t *e = p + (size_t)plane * n;

		for (uint32_t i = 0; i < n; i++)
			out[i] += (uint64_t)e[i] << (8 * plane);
	}
}

static int get_for(struct wt_cursor data, unsigned width, uint32_t n, uint64_t *out)
{
	uint64_t base = wt_cur_u64(&data);
	const uint8_t *planes = wt_cur_bytes(&data, (size_t)n * width);

	if (!planes || wt_cur_left(&data))
		return -1;
	join_planes(planes, n, width, base, out);
	return 0;
}

static int get_delta(struct wt_cursor data, unsigned width, uint32_t n, uint64_t *out)
{
	uint64_t value = wt_cur_u64(&data);
	uint64_t least = wt_cur_u64(&data);
	const uint8_t *planes = wt_cur_bytes(&data, (size_t)(n - 1) * width);

	if (!planes || wt_cur_left(&data))
		return -1;
	out[0] = value;
	join_planes(planes, n - 1, width, least, out + 1);
	for (uint32_t i = 1; i < n; i++) {
		value += out[i];
		out[i] = value;
	}
	return 0;
}

int wt_log_get_codes(const struct wt_log_column_view *view, uint32_t n, uint64_t *out, uint32_t *entries)
{
	struct wt_cursor data = view->data;
	uint32_t count = wt_cur_u32(&data);
	const uint8_t *planes;
	uint64_t most = 0;

	wt_cur_bytes(&data, (size_t)count * 8);
	planes = wt_cur_bytes(&data, (size_t)n * view->width);
	if (view->encoding != WT_DISK_DICT || !n || !planes || wt_cur_left(&data) || view->width > 4)
		return -1;
	join_planes(planes, n, view->width, 0, out);
	for (uint32_t i = 0; i < n; i++)
		most = out[i] > most ? out[i] : most;
	*entries = count;
	return most < count ? 0 : -1;
}

static int get_dict(const struct wt_log_column_view *view, uint32_t n, uint64_t *out)
{
	const uint8_t *entries = view->data.pos + sizeof(uint32_t);
	uint32_t count;

	if (wt_log_get_codes(view, n, out, &count))
		return -1;
	for (uint32_t i = 0; i < n; i++)
		out[i] = wt_load_u64(entries + out[i] * 8);
	return 0;
}

int wt_log_get_ints(const struct wt_log_column_view *view, uint32_t n, uint64_t *out)
{
	if (n == 0 || view->width > 8)
		return -1;
	switch (view->encoding) {
	case WT_DISK_FOR:
		return get_for(view->data, view->width, n, out);
	case WT_DISK_DELTA:
		return get_delta(view->data, view->width, n, out);
	case WT_DISK_DICT:
		return get_dict(view, n, out);
	default:
		return -1;
	}
}
