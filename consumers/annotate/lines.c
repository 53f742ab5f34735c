/* SPDX-License-Identifier: MIT */
/* Source lines of a function, from its instructions. */
#include <stdlib.h>
#include <string.h>

#include "consumers/annotate/work.h"
#include "tracecore/base/grow.h"
#include "tracecore/logfmt/format/inlined.h"

static struct wt_str inlined_of(const struct wt_log_symbol *row)
{
	struct wt_cursor chain = wt_log_inlined_begin(row);
	struct wt_log_inlined call = {0};

	return row->inlined.len && wt_log_inlined_next(&chain, &call) ? call.function
								      : (struct wt_str){"", 0};
}

static uint32_t key_of(struct wt_strings *keys, const struct wt_log_symbol *row, struct wt_str inlined,
		       bool *fresh)
{
	struct wt_buf key = {0};
	uint32_t id;

	wt_buf_put_u32(&key, row->line);
	wt_buf_put_counted(&key, row->file.p, row->file.len);
	wt_buf_put(&key, inlined.p, inlined.len);
	id = key.failed ? WT_INTERN_NONE : wt_strings_add(keys, key.data, key.len, fresh);
	wt_buf_deinit(&key);
	return id;
}

static int add_line(struct wt_annotate_work *work, struct wt_strings *keys, const struct wt_log_symbol *row,
		    struct wt_annotated_function *function, uint32_t *ret, struct wt_err *err)
{
	struct wt_str inlined = inlined_of(row);
	bool fresh = false;
	uint32_t id = key_of(keys, row, inlined, &fresh);
	struct wt_annotated_line *line;

	if (id == WT_INTERN_NONE)
		return wt_fail_nomem(err);
	*ret = id;
	if (!fresh)
		return 0;
	if (wt_grow_one(&function->lines, function->n_lines, err))
		return -1;
	line = &function->lines[function->n_lines++];
	*line = (struct wt_annotated_line){.line = row->line,
					   .file = wt_annotate_keep(work, row->file.p, row->file.len),
					   .inlined = wt_annotate_keep(work, inlined.p, inlined.len)};
	return line->file.p && line->inlined.p ? 0 : wt_fail_nomem(err);
}

struct order {
	const struct wt_annotated_line *lines;
	struct wt_str own; /* the function's file */
};

static int compare(struct wt_str a, struct wt_str b)
{
	uint32_t n = a.len < b.len ? a.len : b.len;
	int order = n ? memcmp(a.p, b.p, n) : 0;

	return order ? order : (a.len > b.len) - (a.len < b.len);
}

static int in_order(const void *x, const void *y, void *ctx)
{
	const struct order *order = ctx;
	const struct wt_annotated_line *a = &order->lines[*(const uint32_t *)x],
				       *b = &order->lines[*(const uint32_t *)y];
	int own_a = compare(a->file, order->own) != 0, own_b = compare(b->file, order->own) != 0, files;

	if (own_a != own_b)
		return own_a - own_b;
	files = compare(a->file, b->file);
	if (files)
		return files;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return compare(a->inlined, b->inlined);
}

/* The file of the function itself: that of its first code that is not inlined. */
static struct wt_str own_file(const struct wt_annotated_function *function)
{
	for (uint32_t i = 0; i < function->n_instructions; i++) {
		uint32_t line = function->instructions[i].line;

		if (line != WT_ANNOTATE_NONE && !function->lines[line].inlined.len)
			return function->lines[line].file;
	}
	return function->n_lines ? function->lines[0].file : (struct wt_str){"", 0};
}

static int sort_lines(struct wt_annotated_function *function, struct wt_err *err)
{
	uint32_t n = function->n_lines;
	struct order order = {function->lines, own_file(function)};
	struct wt_annotated_line *sorted = calloc((size_t)n + 1, sizeof(*sorted));
	uint32_t *ids = calloc((size_t)n + 1, sizeof(*ids)), *places = calloc((size_t)n + 1, sizeof(*places));
	int failed = sorted && ids && places ? 0 : wt_fail_nomem(err);

	for (uint32_t i = 0; !failed && i < n; i++)
		ids[i] = i;
	if (!failed && n)
		qsort_r(ids, n, sizeof(*ids), in_order, &order);
	for (uint32_t i = 0; !failed && i < n; i++) {
		sorted[i] = function->lines[ids[i]];
		places[ids[i]] = i;
	}
	for (uint32_t i = 0; !failed && i < function->n_instructions; i++)
		if (function->instructions[i].line != WT_ANNOTATE_NONE)
			function->instructions[i].line = places[function->instructions[i].line];
	if (!failed) {
		free(function->lines);
		function->lines = sorted;
	} else {
		free(sorted);
	}
	free(ids);
	free(places);
	return failed;
}

static int say(struct wt_annotate_work *work, struct wt_annotated_function *function,
	       const struct wt_buf *text, struct wt_err *err)
{
	function->no_source = wt_annotate_keep(work, text->data, text->len);
	return function->no_source.p ? 0 : wt_fail_nomem(err);
}

static int put_texts(struct wt_annotate_work *work, const struct wt_log_image *image,
		     struct wt_annotated_function *function, struct wt_err *err)
{
	struct wt_buf why = {0};
	int failed = 0;

	for (uint32_t i = 0; !failed && i < function->n_lines; i++) {
		struct wt_annotated_line *line = &function->lines[i];
		const struct wt_source_file *source = wt_source_find(&work->sources, line->file);
		struct wt_str text = source ? wt_source_line(source, line->line) : (struct wt_str){0};

		if (text.p) {
			line->text = wt_annotate_keep(work, text.p, text.len);
			failed = line->text.p ? 0 : wt_fail_nomem(err);
		}
		if (why.len)
			continue;
		if (!source)
			wt_buf_printf(&why,
				      "%.*s is not here: install the source, and give its directory with "
				      "--source-prefix",
				      (int)line->file.len, line->file.p);
		else if (image->modified && source->modified > image->modified)
			wt_buf_printf(&why,
				      "%.*s was changed after the program was built: its lines may be others",
				      (int)line->file.len, line->file.p);
	}
	if (!failed && why.len)
		failed = say(work, function, &why, err);
	wt_buf_deinit(&why);
	return failed;
}

int wt_annotate_lines(struct wt_annotate_work *work, const struct wt_log_symbol *rows,
		      const struct wt_log_image *image, struct wt_annotated_function *function,
		      struct wt_err *err)
{
	struct wt_buf why = {0};
	struct wt_strings keys = {0};
	int failed = 0;

	for (uint32_t i = 0; !failed && i < function->n_instructions; i++) {
		struct wt_annotated_instruction *row = &function->instructions[i];

		if (rows[i].line && rows[i].file.len)
			failed = add_line(work, &keys, &rows[i], function, &row->line, err);
		if (failed || row->line == WT_ANNOTATE_NONE)
			function->unplaced += row->hits;
		else
			function->lines[row->line].hits += row->hits;
	}
	wt_strings_deinit(&keys);
	failed = failed || sort_lines(function, err) ? -1 : 0;
	if (!failed && !function->n_lines) {
		wt_buf_puts(&why, "no line is known: the program has no debug information here, or none of "
				  "it is in the log");
		failed = say(work, function, &why, err);
	} else if (!failed && !work->choice->no_source) {
		failed = put_texts(work, image, function, err);
	}
	wt_buf_deinit(&why);
	return failed;
}
