// SPDX-License-Identifier: MIT
#include "providers/manifest/remarks.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "tracecore/base/grow.h"
#include "tracecore/schema/decode.h"

static const char *const kinds[WT_REMARK_KINDS] = {
	[WT_REMARK_ERROR] = "error",
	[WT_REMARK_WARNING] = "warning",
	[WT_REMARK_INCOMPATIBLE] = "incompatible",
	[WT_REMARK_COMPATIBLE] = "compatible",
};

static struct wt_remark *next_row(struct wt_remarks *remarks)
{
	if (wt_grow(&remarks->rows, &remarks->cap, remarks->n, 1, NULL))
		return NULL;
	return &remarks->rows[remarks->n];
}

void wt_remarks_add(struct wt_remarks *remarks, enum wt_remark_kind kind, const char *path, size_t line,
		    const char *fmt, ...)
{
	struct wt_remark *row = next_row(remarks);
	struct wt_buf text = {0};
	va_list ap;

	va_start(ap, fmt);
	wt_buf_vprintf(&text, fmt, ap);
	va_end(ap);
	wt_buf_put_u8(&text, 0);
	if (!row || text.failed) {
		wt_buf_deinit(&text);
		remarks->failed = true;
		return;
	}
	*row = (struct wt_remark){kind, path, line, (char *)text.data, remarks->n++};
	remarks->of_kind[kind]++;
}

static int by_place(const void *left, const void *right)
{
	const struct wt_remark *a = left, *b = right;
	int order = strcmp(a->path, b->path);

	if (order)
		return order;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

static void sort(struct wt_remarks *remarks)
{
	if (remarks->n)
		qsort(remarks->rows, remarks->n, sizeof(*remarks->rows), by_place);
}

void wt_remarks_text(struct wt_remarks *remarks, struct wt_buf *out)
{
	sort(remarks);
	for (uint32_t i = 0; i < remarks->n; i++) {
		const struct wt_remark *row = &remarks->rows[i];

		wt_text_escape(out, row->path, strlen(row->path));
		wt_buf_printf(out, ":%zu: %s: ", row->line, kinds[row->kind]);
		wt_text_escape(out, row->text, strlen(row->text));
		wt_buf_puts(out, "\n");
	}
}

void wt_remarks_json(struct wt_remarks *remarks, const char *key, struct wt_json *json)
{
	sort(remarks);
	wt_json_array(json, key);
	for (uint32_t i = 0; i < remarks->n; i++) {
		const struct wt_remark *row = &remarks->rows[i];

		wt_json_object(json, NULL);
		wt_json_text(json, "file", row->path);
		wt_json_number(json, "line", row->line);
		wt_json_text(json, "kind", kinds[row->kind]);
		wt_json_text(json, "text", row->text);
		wt_json_end_object(json);
	}
	wt_json_end_array(json);
}

void wt_remarks_deinit(struct wt_remarks *remarks)
{
	for (uint32_t i = 0; i < remarks->n; i++)
		free(remarks->rows[i].text);
	free(remarks->rows);
	*remarks = (struct wt_remarks){0};
}
