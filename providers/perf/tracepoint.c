// SPDX-License-Identifier: MIT
#include "providers/perf/tracepoint.h"

#include <stdlib.h>
#include <string.h>

#include "tracecore/base/grow.h"

int wt_tp_program_add(struct wt_tp_program *program, struct wt_tp_copy copy)
{
	struct wt_tp_copy *last = program->n ? &program->copies[program->n - 1] : NULL;

	if (last && last->how == WT_TP_FIXED && copy.how == WT_TP_FIXED &&
	    last->offset + last->size == copy.offset) {
		last->size += copy.size;
		return 0;
	}
	if (wt_grow_one(&program->copies, program->n, NULL))
		return -1;
	program->copies[program->n++] = copy;
	return 0;
}

static const uint8_t *bytes_at(const uint8_t *raw, size_t len, size_t offset, size_t size)
{
	struct wt_cursor cur = wt_cursor(raw, len);

	wt_cur_bytes(&cur, offset);
	return wt_cur_bytes(&cur, size);
}

static void put_string(struct wt_buf *out, const uint8_t *p, size_t size)
{
	const uint8_t *zero = size ? memchr(p, 0, size) : NULL;

	wt_buf_put_counted(out, p, zero ? (size_t)(zero - p) : size);
}

/* The word at the field gives the place of the bytes: offset in the low half, length in the high half. */
static int pack_located(const struct wt_tp_copy *copy, const uint8_t *raw, size_t len, struct wt_buf *out)
{
	const uint8_t *word = bytes_at(raw, len, copy->offset, 4);
	uint32_t where = word ? wt_load_u32(word) : 0;
	size_t offset = (where & 0xffff) + (copy->relative ? copy->offset + 4 : 0);
	size_t size = where >> 16;
	const uint8_t *p = word ? bytes_at(raw, len, offset, size) : NULL;

	if (!p)
		return -1;
	if (copy->how == WT_TP_LOC_STR) {
		put_string(out, p, size);
	} else if (copy->how == WT_TP_LOC_BYTES) {
		wt_buf_put_counted(out, p, size);
	} else {
		wt_buf_put_u16(out, (uint16_t)(size / copy->size));
		wt_buf_put(out, p, size / copy->size * copy->size);
	}
	return 0;
}

int wt_tp_pack(const struct wt_tp_program *program, const uint8_t *raw, size_t len, struct wt_buf *out)
{
	for (const struct wt_tp_copy *copy = program->copies; copy < program->copies + program->n; copy++) {
		const uint8_t *p;

		if (copy->how >= WT_TP_LOC_STR) {
			if (pack_located(copy, raw, len, out) < 0)
				return -1;
			continue;
		}
		p = bytes_at(raw, len, copy->offset, copy->size);
		if (!p)
			return -1;
		if (copy->how == WT_TP_FIXED)
			wt_buf_put(out, p, copy->size);
		else if (copy->how == WT_TP_STRING)
			put_string(out, p, copy->size);
		else
			wt_buf_put_counted(out, p, copy->size);
	}
	return out->failed ? -1 : 0;
}
