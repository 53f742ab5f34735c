/* SPDX-License-Identifier: MIT */
// Covers: tracecore/logfmt/format/column_*.c
/* Columns: the first two bytes say how many rows, the rest is a payload. What decodes as integers is encoded
 * again and must come back. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tracecore/logfmt/format/column.h"
#include "tracecore/logfmt/format/items.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct wt_log_column_scratch scratch;
/* Reading every byte is the point; this keeps the compiler from leaving it out. */
static volatile uint8_t sum;

static void again(const uint64_t *words, uint32_t n)
{
	struct wt_buf buf = {0};
	struct wt_log_column_view view;
	struct wt_cursor payload;
	uint64_t *back = malloc(n * sizeof(*back));

	wt_log_put_ints(&buf, 1, words, n, &scratch);
	payload = wt_cursor(buf.data, buf.len);
	if (!back || buf.failed || wt_log_column_next(&payload, &view) || wt_log_get_ints(&view, n, back) ||
	    memcmp(words, back, n * sizeof(*back)) != 0)
		abort();
	free(back);
	wt_buf_deinit(&buf);
}

static void decode(const struct wt_log_column_view *view, uint32_t n, struct wt_log_column_room *room)
{
	uint64_t *words = malloc(n * sizeof(*words));
	struct wt_str *strs = malloc(n * sizeof(*strs));
	uint32_t *offsets = malloc((n + 1) * sizeof(*offsets));
	struct wt_buf store = {0};
	size_t left = WT_DISK_MAX_ITEMS;
	const uint8_t *bytes;

	if (!words || !strs || !offsets)
		abort();
	if (wt_log_get_words(view, n, words, room) == 0)
		again(words, n);
	if (wt_log_get_strs(view, n, strs, room) == 0) {
		for (uint32_t i = 0; i < n; i++)
			sum += strs[i].len ? (uint8_t)strs[i].p[strs[i].len - 1] : 0;
	}
	if (wt_log_get_items(view, n, offsets, &bytes, &store, &left, room) == 0) {
		for (uint32_t i = 0; i < offsets[n]; i++)
			sum += bytes[i];
	}
	free(words);
	free(strs);
	free(offsets);
	wt_buf_deinit(&store);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wt_log_column_room room = {0};
	struct wt_log_column_view view;
	struct wt_cursor payload;
	uint32_t n;

	if (size < 2)
		return 0;
	n = 1 + wt_load_u16(data) % 2000;
	if (!wt_log_column_room(&room, n))
		abort();
	payload = wt_cursor(data + 2, size - 2);
	while (wt_log_column_next(&payload, &view) == 0)
		decode(&view, n, &room);
	wt_log_column_room_deinit(&room);
	return 0;
}
