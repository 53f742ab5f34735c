/* SPDX-License-Identifier: MIT */
/* Names of frames as ids of a view, with the names from this machine's files. */
#include "consumers/model/file.h"

#include <stdlib.h>
#include <string.h>

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

/* True when the name came from this machine's files. */
static bool is_local(const struct wt_view_segment *segment, uint32_t frame)
{
	uint32_t n = segment->log->n_frames;

	return segment->named &&
	       segment->named->local[frame < n ? frame : segment->unfolded->outer[frame - n]];
}

static int fill_frame(struct wt_view_file *file, struct wt_view_segment *segment, uint32_t frame)
{
	struct wt_frame_name name = wt_frame_name(segment->tables, frame,
						  wt_frame_log_symbol(segment->tables, frame));
	struct wt_view_frame *row = &segment->frames[frame];
	bool fresh;

	row->function = wt_view_text(file, name.function.p, name.function.len);
	row->module = wt_view_text(file, name.module.p, name.module.len);
	row->file = name.file.len ? wt_view_text(file, name.file.p, name.file.len) : WT_VIEW_NONE;
	row->line = name.line;
	row->offset = name.offset;
	row->reason = name.reason;
	row->local = is_local(segment, frame) && name.reason == WT_RESOLVED;
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
	if (segment->frames[frame].symbol == WT_VIEW_NONE && fill_frame(file, segment, frame))
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
	const struct wt_log_segment *tables;

	if (wt_view_resolve(file, segment, err))
		return -1;
	/* Names from this machine may have replaced the tables. */
	tables = segment->tables;
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

/* Returns the segment with symbols of its own, which are still equal to the log's. */
static struct wt_view_named *named_of(const struct wt_log_segment *log)
{
	struct wt_view_named *named = calloc(1, sizeof(*named));

	if (!named)
		return NULL;
	named->segment = *log;
	named->symbols = calloc(log->n_frames, sizeof(*named->symbols));
	named->local = calloc(log->n_frames, sizeof(*named->local));
	if (!named->symbols || !named->local) {
		wt_view_named_free(named);
		return NULL;
	}
	if (log->symbols)
		memcpy(named->symbols, log->symbols, log->n_frames * sizeof(*named->symbols));
	named->segment.symbols = named->symbols;
	return named;
}

static bool keep(struct wt_view_named *named, struct wt_str *str)
{
	return !str->len || (str->p = wt_arena_copy(&named->strings, str->p, str->len));
}

static bool keep_symbol(struct wt_view_named *named, struct wt_log_symbol *symbol)
{
	return keep(named, &symbol->name) && keep(named, &symbol->raw_name) && keep(named, &symbol->file) &&
	       keep(named, &symbol->inlined);
}

static int resolve_image(struct wt_view_file *file, const struct wt_log_segment *log,
			 struct wt_view_named *named, const uint32_t *ids, uint32_t n, struct wt_err *err)
{
	struct wt_log_symbol *rows = calloc(n, sizeof(*rows));
	int failed = rows ? wt_here_look_up(&file->here, log, ids, n, rows, err) : wt_fail_nomem(err);

	for (uint32_t i = 0; i < n && !failed; i++) {
		named->local[ids[i]] = !log->symbols || !log->symbols[ids[i]].name.len;
		if (keep_symbol(named, &rows[i]))
			named->symbols[ids[i]] = rows[i];
		else
			failed = wt_fail_nomem(err);
	}
	free(rows);
	return failed;
}

static int resolve_frames(struct wt_view_file *file, struct wt_view_segment *segment, uint32_t *ids,
			  uint32_t n, struct wt_err *err)
{
	const struct wt_log_segment *log = segment->log;
	const struct wt_log_frame *frames = log->frames;

	segment->named = named_of(log);
	if (!segment->named)
		return wt_fail_nomem(err);
	if (wt_here_enter(&file->here, log, err))
		return -1;
	qsort_r(ids, n, sizeof(*ids), by_image_and_offset, (void *)(uintptr_t)frames);
	for (uint32_t from = 0, to; from < n; from = to) {
		for (to = from + 1; to < n && frames[ids[to]].image == frames[ids[from]].image; to++)
			;
		if (resolve_image(file, log, segment->named, ids + from, to - from, err))
			return -1;
	}
	return wt_view_segment_take(file, segment, &segment->named->segment) ? wt_fail_nomem(err) : 0;
}

int wt_view_resolve(struct wt_view_file *file, struct wt_view_segment *segment, struct wt_err *err)
{
	const struct wt_log_segment *log = segment->log;
	uint32_t *ids, n = 0;
	int failed = 0;

	if (segment->resolved || !file->options.resolve || !log->n_frames)
		return 0;
	segment->resolved = true;
	ids = malloc(log->n_frames * sizeof(*ids));
	if (!ids)
		return wt_fail_nomem(err);
	for (uint32_t i = 0; i < log->n_frames; i++)
		if (wt_frame_wants_local(log, i, file->options.lines))
			ids[n++] = i;
	if (n)
		failed = resolve_frames(file, segment, ids, n, err);
	free(ids);
	return failed;
}
