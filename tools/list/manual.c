// SPDX-License-Identifier: MIT
#include "tools/list/manual.h"

#include <string.h>

enum { WIDTH = 81, INDENT = 4 };

void wt_manual_begin(struct wt_manual *manual)
{
	if (!manual->pages++ && !manual->rows.n_columns) {
		wt_table_column(&manual->rows, "Field Type", false);
		wt_table_column(&manual->rows, "Result", false);
	}
}

void wt_manual_row(struct wt_manual *manual, const char *type, const char *text)
{
	struct wt_buf line = {0};

	for (; text && *text; text++)
		wt_buf_put_u8(&line, (unsigned char)*text < ' ' ? ' ' : (uint8_t)*text);
	wt_table_cell(&manual->rows, "%s", type);
	wt_table_cell(&manual->rows, "%s", line.len ? wt_buf_cstr(&line) : "---");
	manual->rows.cells.failed |= line.failed;
	wt_buf_deinit(&line);
}

/* Words of a text, as many to a line as there is room for. */
static void put_folded(const char *text, struct wt_buf *out)
{
	size_t column = 0;

	while (*text) {
		size_t n = strcspn(text, " ");

		if (n && column && column + 1 + n > WIDTH) {
			wt_buf_puts(out, "\n");
			column = 0;
		}
		if (n) {
			wt_buf_printf(out, "%*s%.*s", column ? 1 : INDENT, "", (int)n, text);
			column += (column ? 1 : INDENT) + n;
		}
		text += n + strspn(text + n, " ");
	}
	wt_buf_puts(out, "\n");
}

void wt_manual_print(struct wt_manual *manual, struct wt_buf *out)
{
	const char *cell = (const char *)manual->rows.cells.data;
	bool of_cpu = false;

	for (size_t i = 0; i < manual->rows.n_cells; i += 2) {
		const char *text = cell + strlen(cell) + 1;
		bool begins = !strcmp(cell, "CPU") || (!strcmp(cell, "NAME") && !of_cpu);

		wt_buf_printf(out, "%s%s\n", begins && i ? "\n" : "", cell);
		put_folded(text, out);
		of_cpu = !strcmp(cell, "CPU");
		cell = text + strlen(text) + 1;
	}
	wt_table_deinit(&manual->rows);
}

void wt_manual_json(struct wt_manual *manual, struct wt_buf *out)
{
	struct wt_json json = wt_json(out);

	wt_json_object(&json, NULL);
	wt_table_json(&manual->rows, "Manual_Results", &json);
	wt_json_end_document(&json);
}
