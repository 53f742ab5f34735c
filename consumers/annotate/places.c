/* SPDX-License-Identifier: MIT */
/* The places of all hits, by table and function. */
#include <stdlib.h>

#include "consumers/annotate/work.h"

static uint32_t text_of(struct wt_view_file *file, struct wt_str text)
{
	return wt_view_text(file, text.p, text.len);
}

static uint32_t image_text(struct wt_view_file *file, const struct wt_log_image *image)
{
	struct wt_buf key = {0};

	wt_buf_put_u8(&key, image->kind);
	wt_buf_put_u64(&key, image->kind == WT_IMAGE_ANON ? image->inode : 0);
	wt_buf_put_counted(&key, image->build_id.p, image->build_id.len);
	wt_buf_put(&key, image->path.p, image->path.len);
	return wt_view_buf_text(file, &key);
}

static int take_place(const struct wt_annotate *annotate, uint32_t i, struct wt_annotate_place *place,
		      struct wt_err *err)
{
	struct wt_view_file *file = &annotate->counter->file;
	const struct wt_key *key = &annotate->places.keys[i];
	struct wt_view_segment *segment = &file->segments[key->b >> 32];
	struct wt_frame_name name;

	if (wt_view_resolve(file, segment, err))
		return -1;
	*place = (struct wt_annotate_place){
		.root = (uint32_t)key->a,
		.tables = segment->named ? &segment->named->segment : segment->log,
		.frame = (uint32_t)key->b,
		.count = annotate->hits[i].count,
		.thread = annotate->hits[i].thread,
	};
	place->offset = place->tables->frames[place->frame].offset;
	name = wt_frame_name(place->tables, place->frame, wt_frame_log_symbol(place->tables, place->frame));
	place->named = name.reason == WT_RESOLVED;
	/* Code without a name is one row per module, as in a view. */
	place->start = place->named && name.offset <= place->offset ? place->offset - name.offset : 0;
	place->name = text_of(file, name.function);
	place->module = text_of(file, name.module);
	place->image = image_text(file, wt_frame_image(place->tables, place->frame));
	return place->name == WT_VIEW_NONE || place->module == WT_VIEW_NONE || place->image == WT_VIEW_NONE
		       ? wt_fail_nomem(err)
		       : 0;
}

int wt_annotate_order(const struct wt_annotate_place *a, const struct wt_annotate_place *b)
{
	if (a->root != b->root)
		return a->root < b->root ? -1 : 1;
	if (a->image != b->image)
		return a->image < b->image ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->name == b->name ? 0 : a->name < b->name ? -1 : 1;
}

static int by_function(const void *x, const void *y)
{
	const struct wt_annotate_place *a = x, *b = y;
	int order = wt_annotate_order(a, b);

	return order ? order : (a->offset > b->offset) - (a->offset < b->offset);
}

int wt_annotate_places(const struct wt_annotate *annotate, struct wt_annotate_place **ret, uint32_t *n,
		       struct wt_err *err)
{
	*n = annotate->places.count;
	*ret = calloc((size_t)*n + 1, sizeof(**ret));
	if (!*ret)
		return wt_fail_nomem(err);
	for (uint32_t i = 0; i < *n; i++)
		if (take_place(annotate, i, &(*ret)[i], err))
			return -1;
	qsort(*ret, *n, sizeof(**ret), by_function);
	return 0;
}

int wt_annotate_symbols(const struct wt_view_options *view, struct wt_symbols **ret, struct wt_err *err)
{
	const struct wt_symbols_options options = {.lines = true,
						   .inlines = true,
						   .any_machine = true,
						   .elsewhere = true,
						   .watched = view->watched,
						   .watched_ctx = view->watched_ctx};

	return wt_symbols_create(&options, ret, err);
}

/* What nothing proves now, nor did when the log got its names, must at least begin where the log says. */
static uint8_t refuse(const struct wt_symbols *symbols, const struct wt_annotate_place *place,
		      const struct wt_symbols_code *code)
{
	bool in_doubt = wt_frame_log_symbol(place->tables, place->frame)->reason == WT_UNRESOLVED_UNPROVED &&
			!wt_symbols_is_elsewhere(symbols);

	if (code->reason)
		return code->reason;
	return in_doubt || (code->unproved && (!place->named || code->start != place->start))
		       ? WT_UNRESOLVED_UNPROVED
		       : WT_RESOLVED;
}

int wt_annotate_where(struct wt_annotate_work *work, const struct wt_annotate_place *place,
		      struct wt_symbols_code *ret, struct wt_buf *bytes, struct wt_err *err)
{
	*ret = (struct wt_symbols_code){.reason = WT_FRAME_NOT_LOOKED_UP};
	if (work->symbols) {
		if (work->proved != place->tables)
			wt_symbols_prove(work->symbols, place->tables);
		work->proved = place->tables;
		if (wt_symbols_code(work->symbols, wt_frame_image(place->tables, place->frame), place->offset,
				    ret, bytes, err))
			return -1;
		ret->reason = refuse(work->symbols, place, ret);
	}
	if (ret->reason)
		wt_buf_clear(bytes);
	if (ret->reason)
		*ret = (struct wt_symbols_code){
			.start = place->start, .address = place->start, .reason = ret->reason};
	return 0;
}
