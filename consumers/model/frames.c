/* SPDX-License-Identifier: MIT */
#include "consumers/model/file.h"

#include <stdlib.h>

static int fill_raw(struct wt_view_file *file, struct wt_view_frame *row, struct wt_str name)
{
	bool fresh;

	row->raw = name.len ? wt_view_text(file, name.p, name.len) : WT_VIEW_NONE;
	if (!name.len)
		return 0;
	return row->raw == WT_VIEW_NONE ||
			       wt_intern(&file->raw_names, row->raw, row->symbol, &fresh) == WT_INTERN_NONE
		       ? -1
		       : 0;
}

static int fill_frame(struct wt_view_file *file, struct wt_view_segment *segment, uint32_t frame,
		      const struct wt_log_symbol *symbol, bool local)
{
	struct wt_frame_name name = wt_frame_name(segment->tables, frame, symbol);
	struct wt_view_frame *row = &segment->frames[frame];
	bool fresh;

	row->function = wt_view_text(file, name.function.p, name.function.len);
	row->module = wt_view_text(file, name.module.p, name.module.len);
	row->file = symbol->file.len ? wt_view_text(file, symbol->file.p, symbol->file.len) : WT_VIEW_NONE;
	row->line = symbol->file.len ? symbol->line : 0;
	row->offset = symbol->symbol_offset;
	row->reason = name.reason;
	row->local = local && name.reason == WT_RESOLVED;
	row->symbol = wt_intern(&file->symbols, row->function, row->module, &fresh);
	if (row->symbol == WT_INTERN_NONE || row->function == WT_VIEW_NONE || row->module == WT_VIEW_NONE)
		return -1;
	return fill_raw(file, row, symbol->raw_name);
}

const struct wt_view_frame *wt_view_frame(struct wt_view_file *file, struct wt_view_segment *segment,
					  uint32_t frame)
{
	const struct wt_log_segment *tables = segment->tables;

	if (frame >= tables->n_frames)
		return &file->unknown_frame;
	if (segment->frames[frame].symbol == WT_VIEW_NONE &&
	    fill_frame(file, segment, frame, wt_frame_log_symbol(tables, frame), false))
		return NULL;
	return &segment->frames[frame];
}

const struct wt_view_frame *wt_view_leaf(struct wt_view_file *file, struct wt_view_segment *segment,
					 uint32_t stack)
{
	if (!stack || stack > segment->tables->n_stacks)
		return &file->no_frame;
	return wt_view_frame(file, segment, segment->tables->stacks[stack - 1].frame);
}

/* ---- in words ---- */

static struct wt_str text(const struct wt_view_file *file, uint32_t id)
{
	size_t len;
	const char *p = wt_strings_get(&file->texts, id, &len);

	return (struct wt_str){.p = p, .len = (uint32_t)len};
}

static struct wt_view_words words_of_row(const struct wt_view_file *file, const struct wt_view_frame *row)
{
	return (struct wt_view_words){
		.function = text(file, row->function),
		.module = text(file, row->module),
		.file = text(file, row->file),
		.line = row->line,
		.offset = row->offset,
		.reason = row->reason,
	};
}

struct wt_view_words wt_view_leaf_words(const struct wt_view_file *file,
					const struct wt_view_segment *segment, uint32_t stack)
{
	uint32_t frame = segment->tables->stacks[stack - 1].frame;
	const struct wt_log_symbol *symbol;
	struct wt_frame_name name;

	if (frame >= segment->tables->n_frames)
		return words_of_row(file, &file->unknown_frame);
	/* Only this machine's files make a row say other than the log. */
	if (segment->resolved && segment->frames[frame].symbol != WT_VIEW_NONE)
		return words_of_row(file, &segment->frames[frame]);
	symbol = wt_frame_log_symbol(segment->tables, frame);
	name = wt_frame_name(segment->tables, frame, symbol);
	return (struct wt_view_words){
		.function = name.function,
		.module = name.module,
		.file = symbol->file,
		.line = symbol->file.len ? symbol->line : 0,
		.offset = symbol->symbol_offset,
		.reason = name.reason,
	};
}

/* ---- names from this machine ---- */

static int by_image_and_offset(const void *a, const void *b, void *ctx)
{
	const struct wt_log_frame *frames = ctx;
	const struct wt_log_frame *x = &frames[*(const uint32_t *)a], *y = &frames[*(const uint32_t *)b];

	if (x->image != y->image)
		return x->image < y->image ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

static int resolve_image(struct wt_view_file *file, struct wt_view_segment *segment, const uint32_t *ids,
			 uint32_t n, struct wt_err *err)
{
	const struct wt_log_segment *tables = segment->tables;
	uint64_t *offsets = malloc(n * sizeof(*offsets));
	struct wt_log_symbol *rows = calloc(n, sizeof(*rows));
	int failed = -1;

	if (!offsets || !rows) {
		wt_fail_nomem(err);
		goto out;
	}
	for (uint32_t i = 0; i < n; i++)
		offsets[i] = tables->frames[ids[i]].offset;
	if (wt_symbols_resolve(file->symbols_here, wt_frame_image(tables, ids[0]), offsets, n, rows, err))
		goto out;
	for (uint32_t i = 0; i < n; i++) {
		struct wt_log_symbol row = wt_frame_merge(tables, ids[i], &rows[i]);
		bool had_name = tables->symbols && tables->symbols[ids[i]].name.len;

		if (fill_frame(file, segment, ids[i], &row, !had_name)) {
			wt_fail_nomem(err);
			goto out;
		}
	}
	failed = 0;
out:
	free(offsets);
	free(rows);
	return failed;
}

static int resolve_frames(struct wt_view_file *file, struct wt_view_segment *segment, uint32_t *ids,
			  uint32_t n, struct wt_err *err)
{
	const struct wt_log_frame *frames = segment->tables->frames;
	struct wt_symbols_options options = {
		.lines = file->options.lines, .any_machine = true, .elsewhere = true};

	if (!file->symbols_here && wt_symbols_create(&options, &file->symbols_here, err))
		return -1;
	wt_symbols_prove(file->symbols_here, segment->tables);
	qsort_r(ids, n, sizeof(*ids), by_image_and_offset, (void *)(uintptr_t)frames);
	for (uint32_t from = 0, to; from < n; from = to) {
		for (to = from + 1; to < n && frames[ids[to]].image == frames[ids[from]].image; to++)
			;
		if (resolve_image(file, segment, ids + from, to - from, err))
			return -1;
	}
	return 0;
}

int wt_view_resolve(struct wt_view_file *file, struct wt_view_segment *segment, struct wt_err *err)
{
	const struct wt_log_segment *tables = segment->tables;
	uint32_t *ids, n = 0;
	int failed = 0;

	if (segment->resolved || !file->options.resolve || !tables->n_frames)
		return 0;
	segment->resolved = true;
	ids = malloc(tables->n_frames * sizeof(*ids));
	if (!ids)
		return wt_fail_nomem(err);
	for (uint32_t i = 0; i < tables->n_frames; i++)
		if (wt_frame_wants_local(tables, i, file->options.lines))
			ids[n++] = i;
	if (n)
		failed = resolve_frames(file, segment, ids, n, err);
	free(ids);
	return failed;
}
