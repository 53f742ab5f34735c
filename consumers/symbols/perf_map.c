/* SPDX-License-Identifier: MIT */
#include "consumers/symbols/perf_map.h"

#include <string.h>

#include "tracecore/base/cursor.h"

static bool digit(uint8_t c, uint8_t *ret)
{
	if (c >= '0' && c <= '9')
		*ret = c - '0';
	else if ((c | 32) >= 'a' && (c | 32) <= 'f')
		*ret = (c | 32) - 'a' + 10;
	else
		return false;
	return true;
}

/* A number with a blank behind it. */
static bool number(struct wt_cursor *cur, uint64_t *ret)
{
	uint32_t n = 0;
	uint8_t c = wt_cur_u8(cur), d;

	*ret = 0;
	if (c == '0' && wt_cur_left(cur) && (*cur->pos | 32) == 'x') {
		wt_cur_u8(cur);
		c = wt_cur_u8(cur);
	}
	for (; !cur->bad && digit(c, &d); c = wt_cur_u8(cur)) {
		if (++n > 16)
			return false;
		*ret = *ret << 4 | d;
	}
	return n && !cur->bad && c == ' ';
}

static void take_line(struct wt_perf_map *reader)
{
	struct wt_cursor cur = wt_cursor(reader->line, reader->len);
	struct wt_code_piece piece = {.until = UINT64_MAX};
	uint64_t size;
	size_t left;

	if (!number(&cur, &piece.start) || !number(&cur, &size) || size > UINT64_MAX - piece.start)
		return;
	piece.end = piece.start + size;
	left = wt_cur_left(&cur);
	if (left && cur.pos[left - 1] == '\r')
		left--;
	wt_code_map_add(reader->map, &piece, wt_str_of(cur.pos, left));
}

void wt_perf_map_feed(struct wt_perf_map *reader, const void *bytes, size_t len)
{
	struct wt_cursor cur = wt_cursor(bytes, len);

	while (wt_cur_left(&cur) && !reader->map->cut) {
		const uint8_t *end = memchr(cur.pos, '\n', wt_cur_left(&cur));
		size_t n = end ? (size_t)(end - cur.pos) : wt_cur_left(&cur);
		size_t room = sizeof(reader->line) - reader->len;

		memcpy(reader->line + reader->len, cur.pos, n < room ? n : room);
		reader->len += (uint32_t)(n < room ? n : room);
		wt_cur_bytes(&cur, n + (end != NULL));
		if (end) {
			take_line(reader);
			reader->len = 0;
		}
	}
}

void wt_perf_map_end(struct wt_perf_map *reader)
{
	reader->len = 0;
}
