/* SPDX-License-Identifier: MIT */
#include "tools/view/file.h"

#include <stdlib.h>
#include <string.h>

#define UNRESOLVED "[unresolved]"

static const struct wt_log_image *image_of(const struct wt_log_segment *tables, uint32_t frame)
{
	uint32_t image = tables->frames[frame].image;

	return &tables->images[image < tables->n_images ? image : 0];
}

static struct wt_str str(const char *text)
{
	return (struct wt_str){.p = text, .len = (uint32_t)strlen(text)};
}

static struct wt_str module_name(const struct wt_log_segment *tables, const struct wt_log_image *image)
{
	if (image == tables->images)
		return str("[unknown]");
	switch (image->kind) {
	case WT_IMAGE_KERNEL:
		return str("[kernel]");
	case WT_IMAGE_VDSO:
		return str("[vdso]");
	case WT_IMAGE_ANON:
		return str("[anon]");
	case WT_IMAGE_KSYMBOL:
		return str("[kernel symbol]");
	default:
		return image->path;
	}
}

/* What to call code without a symbol. */
static struct wt_str nameless(const struct wt_log_image *image, uint8_t reason)
{
	if (image->kind == WT_IMAGE_KSYMBOL && image->path.len)
		return image->path;
	return reason == WT_UNRESOLVED_NO_IMAGE ? str("[unknown]") : str(UNRESOLVED);
}

static uint8_t reason_of(const struct wt_log_segment *tables, const struct wt_log_image *image,
			 const struct wt_log_symbol *symbol)
{
	if (symbol->name.len || (image->kind == WT_IMAGE_KSYMBOL && image->path.len))
		return WT_RESOLVED;
	if (image == tables->images)
		return WT_UNRESOLVED_NO_IMAGE;
	if (symbol->reason != WT_RESOLVED)
		return symbol->reason;
	return image->kind == WT_IMAGE_ANON ? WT_UNRESOLVED_ANON : WT_VIEW_NOT_LOOKED_UP;
}

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
	const struct wt_log_image *image = image_of(segment->tables, frame);
	uint8_t reason = reason_of(segment->tables, image, symbol);
	struct wt_str module = module_name(segment->tables, image);
	struct wt_str name = symbol->name.len ? symbol->name : nameless(image, reason);
	struct wt_view_frame *row = &segment->frames[frame];
	bool fresh;

	row->function = wt_view_text(file, name.p, name.len);
	row->module = wt_view_text(file, module.p, module.len);
	row->file = symbol->file.len ? wt_view_text(file, symbol->file.p, symbol->file.len) : WT_VIEW_NONE;
	row->line = symbol->file.len ? symbol->line : 0;
	row->offset = symbol->symbol_offset;
	row->reason = reason;
	row->local = local && reason == WT_RESOLVED;
	row->symbol = wt_intern(&file->symbols, row->function, row->module, &fresh);
	if (row->symbol == WT_INTERN_NONE || row->function == WT_VIEW_NONE || row->module == WT_VIEW_NONE)
		return -1;
	return fill_raw(file, row, symbol->raw_name);
}

const struct wt_view_frame *wt_view_frame(struct wt_view_file *file, struct wt_view_segment *segment,
					  uint32_t frame)
{
	static const struct wt_log_symbol none;
	const struct wt_log_segment *tables = segment->tables;

	if (frame >= tables->n_frames)
		return &file->unknown_frame;
	if (segment->frames[frame].symbol == WT_VIEW_NONE &&
	    fill_frame(file, segment, frame, tables->symbols ? &tables->symbols[frame] : &none, false))
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

/* ---- names from this machine ---- */

static bool may_help(uint8_t reason)
{
	return reason != WT_UNRESOLVED_NO_MATCH && reason != WT_UNRESOLVED_NO_IMAGE &&
	       reason != WT_UNRESOLVED_ANON;
}

static bool wants_local(const struct wt_view_file *file, const struct wt_log_segment *tables, uint32_t frame)
{
	const struct wt_log_image *image = image_of(tables, frame);
	const struct wt_log_symbol *symbol = tables->symbols ? &tables->symbols[frame] : NULL;

	if (image == tables->images || image->kind == WT_IMAGE_ANON || image->kind == WT_IMAGE_KSYMBOL)
		return false;
	if (!symbol || !symbol->name.len)
		return !symbol || may_help(symbol->reason);
	return file->options.lines && !symbol->line && image->kind == WT_IMAGE_FILE;
}

static int by_image_and_offset(const void *a, const void *b, void *ctx)
{
	const struct wt_log_frame *frames = ctx;
	const struct wt_log_frame *x = &frames[*(const uint32_t *)a], *y = &frames[*(const uint32_t *)b];

	if (x->image != y->image)
		return x->image < y->image ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

/* A name the log has stays; only what it lacks is taken from here. */
static struct wt_log_symbol merged(const struct wt_log_segment *tables, uint32_t frame,
				   const struct wt_log_symbol *here)
{
	struct wt_log_symbol row = tables->symbols ? tables->symbols[frame] : *here;

	if (!row.name.len && (here->name.len || row.reason == WT_RESOLVED))
		return *here;
	if (row.name.len && !row.line) {
		row.file = here->file;
		row.line = here->line;
	}
	return row;
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
	if (wt_symbols_resolve(file->symbols_here, image_of(tables, ids[0]), offsets, n, rows, err))
		goto out;
	for (uint32_t i = 0; i < n; i++) {
		struct wt_log_symbol row = merged(tables, ids[i], &rows[i]);
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
	struct wt_symbols_options options = {.lines = file->options.lines, .any_machine = true};

	if (!file->symbols_here && wt_symbols_create(&options, &file->symbols_here, err))
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
		if (wants_local(file, tables, i))
			ids[n++] = i;
	if (n)
		failed = resolve_frames(file, segment, ids, n, err);
	free(ids);
	return failed;
}
