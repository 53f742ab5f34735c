// SPDX-License-Identifier: MIT
#include "tracecore/base/table.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tracecore/base/plain.h"

enum { MARGIN = 8, GAP = 2 };

void wt_table_column(struct wt_table *table, const char *title, bool number)
{
	if (table->n_columns < WT_TABLE_MOST_COLUMNS)
		table->columns[table->n_columns++] = (struct wt_table_column){title, number};
}

void wt_table_cell(struct wt_table *table, const char *fmt, ...)
{
	char text[4096];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	wt_plain(text, sizeof(text));
	wt_buf_puts(&table->cells, text);
	wt_buf_put_u8(&table->cells, 0);
	table->n_cells++;
}

void wt_commas(double count, struct wt_buf *out)
{
	char digits[400];
	int n = snprintf(digits, sizeof(digits), "%.0f", count);

	for (int i = 0; i < n; i++) {
		wt_buf_put_u8(out, (uint8_t)digits[i]);
		if (digits[i] != '-' && i + 1 < n && (n - i - 1) % 3 == 0)
			wt_buf_put_u8(out, ',');
	}
}

void wt_table_count(struct wt_table *table, double count)
{
	wt_commas(count, &table->cells);
	wt_buf_put_u8(&table->cells, 0);
	table->n_cells++;
}

/* Characters, not bytes. */
static size_t width_of(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

static void pad(struct wt_buf *out, char with, size_t n)
{
	while (n--)
		wt_buf_put_u8(out, (uint8_t)with);
}

static void put_cell(const struct wt_table *table, size_t column, const char *text, size_t width,
		     struct wt_buf *out)
{
	size_t missing = width - width_of(text);
	bool number = table->columns[column].number, last = column + 1 == table->n_columns;

	pad(out, ' ', column ? GAP : MARGIN);
	if (number)
		pad(out, ' ', missing);
	wt_buf_puts(out, text);
	if (!number && !last)
		pad(out, ' ', missing);
}

static void end_line(struct wt_buf *out)
{
	while (out->len && out->data[out->len - 1] == ' ')
		out->len--;
	wt_buf_puts(out, "\n");
}

static void measure(struct wt_table *table, size_t *widths)
{
	const char *text = wt_buf_cstr(&table->cells);

	for (size_t i = 0; i < table->n_columns; i++)
		widths[i] = width_of(table->columns[i].title);
	for (size_t i = 0; i < table->n_cells; i++, text += strlen(text) + 1) {
		size_t width = width_of(text), *most = &widths[i % table->n_columns];

		*most = width > *most ? width : *most;
	}
}

static void put_head(const struct wt_table *table, const size_t *widths, struct wt_buf *out)
{
	for (size_t i = 0; i < table->n_columns; i++)
		put_cell(table, i, table->columns[i].title, widths[i], out);
	end_line(out);
	for (size_t i = 0; i < table->n_columns; i++) {
		char line[64];
		size_t len = width_of(table->columns[i].title);

		memset(line, '=', sizeof(line));
		line[len < sizeof(line) ? len : sizeof(line) - 1] = '\0';
		put_cell(table, i, line, widths[i], out);
	}
	end_line(out);
}

static void empty(struct wt_table *table)
{
	wt_buf_clear(&table->cells);
	*table = (struct wt_table){.cells = table->cells};
}

void wt_table_print(struct wt_table *table, struct wt_buf *out)
{
	size_t widths[WT_TABLE_MOST_COLUMNS];
	const char *text;

	if (table->cells.failed) {
		out->failed = true;
		return;
	}
	measure(table, widths);
	put_head(table, widths, out);
	text = wt_buf_cstr(&table->cells);
	for (size_t i = 0; i < table->n_cells; i++, text += strlen(text) + 1) {
		size_t column = i % table->n_columns;

		put_cell(table, column, text, widths[column], out);
		if (column + 1 == table->n_columns)
			end_line(out);
	}
	empty(table);
}

static void put_member(struct wt_json *json, const char *title, const char *text)
{
	char key[64];

	snprintf(key, sizeof(key), "%s", title);
	for (char *p = key; *p; p++)
		*p = *p == ' ' ? '_' : *p;
	wt_json_text(json, key, text);
}

void wt_table_json(struct wt_table *table, const char *key, struct wt_json *json)
{
	const char *text = wt_buf_cstr(&table->cells);

	json->out->failed |= table->cells.failed;
	wt_json_array(json, key);
	for (size_t i = 0; !table->cells.failed && i < table->n_cells; i++, text += strlen(text) + 1) {
		size_t column = i % table->n_columns;

		if (!column) {
			wt_json_next_line(json);
			wt_json_object(json, NULL);
		}
		put_member(json, table->columns[column].title, text);
		if (column + 1 == table->n_columns)
			wt_json_end_object(json);
	}
	wt_json_end_lines(json);
	empty(table);
}

void wt_table_document(struct wt_table *table, const char *key, struct wt_buf *out)
{
	struct wt_json json = wt_json(out);

	wt_json_object(&json, NULL);
	wt_table_json(table, key, &json);
	wt_json_end_document(&json);
}

void wt_table_deinit(struct wt_table *table)
{
	wt_buf_deinit(&table->cells);
}
