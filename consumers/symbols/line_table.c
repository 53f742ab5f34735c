/* SPDX-License-Identifier: MIT */
#include "consumers/symbols/line_table.h"

#include <stdlib.h>

#include "tracecore/base/bound.h"
#include "tracecore/base/grow.h"

/* Of one table; further ones have no lines. */
enum { MAX_SEQUENCES = 4 << 20 };

/* ---- sequences ---- */

static bool add_sequence(struct wt_line_table *table, const struct wt_line_sequence *sequence)
{
	/* Functions the linker threw away stand at 0 or 1, or at the very end. */
	if (sequence->low <= 1 || sequence->low >= sequence->high || table->n >= MAX_SEQUENCES)
		return true;
	if (wt_grow(&table->sequences, &table->cap, table->n, 1, NULL))
		return false;
	table->sequences[table->n++] = *sequence;
	return true;
}

static size_t offset_in(const struct wt_line_table *table, const struct wt_cursor *at)
{
	return (size_t)(at->pos - table->sections.line.base);
}

/* A sequence that has no end ends the program: it has no lines. */
static bool add_program(struct wt_line_table *table, size_t program_at, const struct wt_line_program *program)
{
	struct wt_cursor code = program->code;
	struct wt_line_sequence sequence;
	struct wt_line_row row;
	bool fresh = true;

	for (;;) {
		if (fresh) {
			sequence = (struct wt_line_sequence){
				.low = UINT64_MAX, .program = program_at, .code = offset_in(table, &code)};
			wt_line_row_init(&row);
		}
		if (!wt_line_program_row(program, &code, &row))
			return true;
		if (row.address < sequence.low)
			sequence.low = row.address;
		if (row.address > sequence.high)
			sequence.high = row.address;
		fresh = row.end;
		if (row.end && !add_sequence(table, &sequence))
			return false;
	}
}

static int by_low(const void *a, const void *b)
{
	const struct wt_line_sequence *x = a, *y = b;

	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	return (x->code > y->code) - (x->code < y->code);
}

static bool read_sequences(struct wt_line_table *table)
{
	struct wt_cursor line = table->sections.line;
	struct wt_line_program program;
	size_t at = wt_cur_offset(&line);
	int got;

	while (!(got = wt_line_program_next(&line, &program))) {
		if (!add_program(table, at, &program))
			return false;
		at = wt_cur_offset(&line);
	}
	if (got < 0 || !table->n)
		return false;
	qsort(table->sequences, table->n, sizeof(*table->sequences), by_low);
	for (size_t i = 0; i + 1 < table->n; i++)
		if (table->sequences[i].high > table->sequences[i + 1].low)
			table->sequences[i].high = table->sequences[i + 1].low;
	return true;
}

bool wt_line_table_open(const struct wt_line_sections *sections, struct wt_line_table *ret)
{
	*ret = (struct wt_line_table){.sections = *sections};
	if (read_sequences(ret))
		return true;
	wt_line_table_deinit(ret);
	return false;
}

/* ---- sequences that were found before ---- */

void wt_line_table_put_sequences(const struct wt_line_table *table, struct wt_buf *out)
{
	for (size_t i = 0; i < table->n; i++) {
		const struct wt_line_sequence *sequence = &table->sequences[i];

		wt_buf_put_u64(out, sequence->low);
		wt_buf_put_u64(out, sequence->high);
		wt_buf_put_u64(out, sequence->program);
		wt_buf_put_u64(out, sequence->code);
	}
}

static bool take_sequences(struct wt_line_table *table, struct wt_cursor *cur)
{
	size_t most = wt_cur_left(&table->sections.line);
	uint64_t end = 0;

	for (size_t i = 0; i < table->n; i++) {
		struct wt_line_sequence *sequence = &table->sequences[i];

		sequence->low = wt_cur_u64(cur);
		sequence->high = wt_cur_u64(cur);
		sequence->program = wt_cur_u64(cur);
		sequence->code = wt_cur_u64(cur);
		if (sequence->low < end || sequence->high < sequence->low || sequence->program > most ||
		    sequence->code > most)
			return false;
		end = sequence->high;
	}
	return true;
}

bool wt_line_table_reopen(const struct wt_line_sections *sections, struct wt_cursor sequences,
			  struct wt_line_table *ret)
{
	size_t n = wt_cur_left(&sequences) / WT_LINE_SEQUENCE;

	*ret = (struct wt_line_table){.sections = *sections, .n = n, .cap = n};
	ret->sequences = n && n <= MAX_SEQUENCES ? calloc(n, sizeof(*ret->sequences)) : NULL;
	if (ret->sequences && take_sequences(ret, &sequences))
		return true;
	wt_line_table_deinit(ret);
	return false;
}

/* ---- rows ---- */

static const struct wt_line_sequence *sequence_of(const struct wt_line_table *table, uint64_t address)
{
	size_t low = WT_BOUND(i, 0, table->n, table->sequences[i].low <= address);

	if (!low || address >= table->sequences[low - 1].high)
		return NULL;
	return &table->sequences[low - 1];
}

/* Addresses ascend within a sequence; where they do not, the rows behind are left out. */
static bool read_rows(struct wt_line_table *table, size_t code_at)
{
	struct wt_cursor code = table->program.code;
	struct wt_line_row row;

	code.pos = table->sections.line.base + code_at;
	wt_line_row_init(&row);
	table->n_rows = 0;
	while (wt_line_program_row(&table->program, &code, &row) && !row.end) {
		if (table->n_rows && row.address < table->rows[table->n_rows - 1].address)
			break;
		if (wt_grow(&table->rows, &table->rows_cap, table->n_rows, 1, NULL))
			return false;
		table->rows[table->n_rows++] = row;
	}
	return table->n_rows;
}

static bool enter(struct wt_line_table *table, const struct wt_line_sequence *sequence)
{
	struct wt_cursor line = table->sections.line;

	if (table->current == sequence)
		return table->n_rows;
	table->current = sequence;
	table->n_rows = 0;
	table->path_file = UINT32_MAX;
	line.pos = line.base + sequence->program;
	return !wt_line_program_next(&line, &table->program) && read_rows(table, sequence->code);
}

static const char *path_of(struct wt_line_table *table, uint32_t file)
{
	if (table->path_file == file)
		return wt_buf_cstr(&table->path);
	table->path_file = UINT32_MAX;
	wt_buf_clear(&table->path);
	if (!wt_line_program_path(&table->program, &table->sections, file, &table->path))
		return NULL;
	table->path_file = file;
	return wt_buf_cstr(&table->path);
}

bool wt_line_table_find(struct wt_line_table *table, uint64_t address, const char **file, uint32_t *line)
{
	const struct wt_line_sequence *sequence = sequence_of(table, address);
	size_t low = 0, high;

	if (!sequence || !enter(table, sequence))
		return false;
	for (high = table->n_rows; low < high;) {
		size_t middle = low + (high - low) / 2;

		if (table->rows[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	*file = low ? path_of(table, table->rows[low - 1].file) : NULL;
	if (!*file)
		return false;
	*line = table->rows[low - 1].line;
	return true;
}

uint64_t wt_line_table_bytes(const struct wt_line_table *table)
{
	return table->cap * sizeof(*table->sequences) + table->rows_cap * sizeof(*table->rows) +
	       table->path.cap;
}

void wt_line_table_deinit(struct wt_line_table *table)
{
	free(table->sequences);
	free(table->rows);
	wt_buf_deinit(&table->path);
	*table = (struct wt_line_table){0};
}
