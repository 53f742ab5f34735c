// SPDX-License-Identifier: MIT
/* Plain items, FIXED and BYTES: the writing and the reading side. */
#include "tracecore/logfmt/format/items.h"

void wt_log_put_plain(struct wt_buf *out, uint16_t id, const uint8_t *bytes, uint64_t start,
		      const uint64_t *ends, uint32_t n, struct wt_log_column_scratch *scratch)
{
	uint64_t first = ends[0] - start;
	uint64_t last_end = start;
	uint64_t differ = first > UINT8_MAX;
	size_t at = wt_log_begin_column(out, scratch);

	for (uint32_t i = 0; i < n; i++) {
		scratch->words[i] = ends[i] - last_end;
		differ |= scratch->words[i] ^ first;
		last_end = ends[i];
	}
	if (differ)
		wt_log_put_ints(out, 0, scratch->words, n, scratch);
	wt_log_cut(scratch, out->len);
	if (last_end > start)
		wt_buf_put(out, bytes + start, last_end - start);
	wt_log_end_column(out, at, id, differ ? WT_DISK_BYTES : WT_DISK_FIXED, differ ? 0 : (uint8_t)first);
}

/* The entries of the dictionary without gaps: wt_strings has a zero after each. */
void wt_log_put_strings(struct wt_buf *out, struct wt_log_column_scratch *scratch)
{
	struct wt_buf bytes = {0}, ends = {0};
	uint64_t end = 0;

	for (uint32_t i = 0; i < scratch->strings.count; i++) {
		size_t len;
		const char *p = wt_strings_get(&scratch->strings, i, &len);

		wt_buf_put(&bytes, p, len);
		end += len;
		wt_buf_put_u64(&ends, end);
	}
	if (bytes.failed || ends.failed)
		out->failed = true;
	else
		wt_log_put_plain(out, 0, bytes.data ? bytes.data : (const uint8_t *)"", 0,
				 (const uint64_t *)(const void *)ends.data, scratch->strings.count, scratch);
	wt_buf_deinit(&bytes);
	wt_buf_deinit(&ends);
}

int wt_log_get_lengths(const struct wt_log_column_view *view, uint32_t n, uint64_t *words,
		       const uint8_t **bytes)
{
	struct wt_cursor data = view->data;
	struct wt_log_column_view lengths;
	uint64_t sum = 0;
	size_t left;

	if (view->encoding == WT_DISK_FIXED) {
		for (uint32_t i = 0; i < n; i++)
			words[i] = view->width;
	} else if (view->encoding != WT_DISK_BYTES || wt_log_column_next(&data, &lengths) ||
		   wt_log_get_ints(&lengths, n, words)) {
		return -1;
	}
	left = wt_cur_left(&data);
	for (uint32_t i = 0; i < n; i++) {
		if (words[i] > left - sum)
			return -1;
		sum += words[i];
	}
	*bytes = wt_cur_bytes(&data, left);
	return sum == left && *bytes ? 0 : -1;
}

int wt_log_get_plain_strs(const struct wt_log_column_view *view, uint32_t n, struct wt_str *out,
			  uint64_t *words)
{
	const uint8_t *bytes;

	if (wt_log_get_lengths(view, n, words, &bytes))
		return -1;
	for (uint32_t i = 0; i < n; i++) {
		out[i] = (struct wt_str){(const char *)bytes, (uint32_t)words[i]};
		bytes += words[i];
	}
	return 0;
}
