// SPDX-License-Identifier: MIT
#include "consumers/manual/pages.h"

void wt_pages_begin(struct wt_pages *pages)
{
	if (!pages->n++ && !pages->rows.n_columns) {
		wt_table_column(&pages->rows, "Field Type", false);
		wt_table_column(&pages->rows, "Result", false);
	}
}

void wt_pages_row(struct wt_pages *pages, const char *type, const char *text)
{
	struct wt_buf line = {0};

	for (; text && *text; text++)
		wt_buf_put_u8(&line, (unsigned char)*text < ' ' ? ' ' : (uint8_t)*text);
	wt_table_cell(&pages->rows, "%s", type);
	wt_table_cell(&pages->rows, "%s", line.len ? wt_buf_cstr(&line) : "---");
	pages->rows.cells.failed |= line.failed;
	wt_buf_deinit(&line);
}
