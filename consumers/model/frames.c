/* SPDX-License-Identifier: MIT */
/* Names of frames as ids of a view, with what this machine's files add. */
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
	row->file = name.file.len ? wt_view_text(file, name.file.p, name.file.len) : WT_VIEW_NONE;
	row->line = name.line;
	row->offset = name.offset;
	row->reason = name.reason;
	row->local = local && name.reason == WT_RESOLVED;
	row->inlined = frame >= segment->log->n_frames;
	row->symbol = wt_intern(&file->symbols, row->function, row->module, &fresh);
	if (row->symbol == WT_INTERN_NONE || row->function == WT_VIEW_NONE || row->module == WT_VIEW_NONE)
		return -1;
	return fill_raw(file, row, name.raw);
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

int wt_view_each_frame(struct wt_view_file *file, struct wt_view_segment *segment, uint32_t stack,
		       void (*fn)(void *ctx, const struct wt_view_frame *frame, uint32_t index), void *ctx,
		       struct wt_err *err)
{
	const struct wt_log_segment *tables = segment->tables;

	if (wt_view_resolve(file, segment, err))
		return -1;
	for (uint32_t i = 0; stack && stack <= tables->n_stacks && i < WT_MAX_FRAMES; i++) {
		const struct wt_view_frame *frame = wt_view_leaf(file, segment, stack);

		if (!frame)
			return wt_fail_nomem(err);
		fn(ctx, frame, i);
		stack = tables->stacks[stack - 1].caller;
	}
	return 0;
}

/* ---- in words ---- */

static struct wt_str text(const struct wt_view_file *file, uint32_t id)
{
	size_t len;
	const char *p = wt_strings_get(&file->texts, id, &len);

	return wt_str_of(p, len);
}

static struct wt_frame_name name_of_row(const struct wt_view_file *file, const struct wt_view_frame *row)
{
	return (struct wt_frame_name){
		.function = text(file, row->function),
		.raw = text(file, row->raw),
		.module = text(file, row->module),
		.file = text(file, row->file),
		.line = row->line,
		.offset = row->offset,
		.reason = row->reason,
	};
}

struct wt_frame_name wt_view_leaf_name(const struct wt_view_file *file, const struct wt_view_segment *segment,
				       uint32_t stack)
{
	uint32_t frame = segment->tables->stacks[stack - 1].frame;

	if (frame >= segment->tables->n_frames)
		return name_of_row(file, &file->unknown_frame);
	/* Only this machine's files make a row say other than the log. */
	if (segment->resolved && segment->frames[frame].symbol != WT_VIEW_NONE)
		return name_of_row(file, &segment->frames[frame]);
	return wt_frame_name(segment->tables, frame, wt_frame_log_symbol(segment->tables, frame));
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
	struct wt_log_symbol *rows = calloc(n, sizeof(*rows));
	int failed = rows ? wt_here_look_up(&file->here, tables, ids, n, rows, err) : wt_fail_nomem(err);

	for (uint32_t i = 0; i < n && !failed; i++) {
		bool had_name = tables->symbols && tables->symbols[ids[i]].name.len;

		if (fill_frame(file, segment, ids[i], &rows[i], !had_name))
			failed = wt_fail_nomem(err);
	}
	free(rows);
	return failed;
}

static int resolve_frames(struct wt_view_file *file, struct wt_view_segment *segment, uint32_t *ids,
			  uint32_t n, struct wt_err *err)
{
	const struct wt_log_frame *frames = segment->tables->frames;

	if (wt_here_enter(&file->here, segment->tables, err))
		return -1;
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
