// SPDX-License-Identifier: MIT
#include "consumers/export/dump_log.h"

static int print_event(struct wt_dump_log *all, const struct wt_log_batch *batch, uint32_t i,
		       struct wt_out *out, struct wt_err *err)
{
	int (*print)(struct wt_dump *, const struct wt_log_batch *, uint32_t, struct wt_buf *,
		     struct wt_err *) = all->form == WT_DUMP_JSON  ? wt_dump_json
					: all->form == WT_DUMP_CSV ? wt_dump_csv
								   : wt_dump_text;
	uint8_t pass;

	if (wt_view_filter_one(&all->filter, batch, i, &pass, err))
		return -1;
	return pass && (print(&all->dump, batch, i, &out->buf, err) || wt_out_flow(out, err)) ? -1 : 0;
}

static int print_events(struct wt_dump_log *all, struct wt_log_iter *iter, struct wt_out *out,
			struct wt_err *err)
{
	const struct wt_log_batch *batch;
	uint32_t i;
	int more;

	while (!(more = wt_log_iter_next(iter, &batch, &i, err)))
		if (print_event(all, batch, i, out, err))
			return -1;
	return more < 0 ? -1 : 0;
}

/* Collects the columns of CSV: the fields of all kinds in the log. */
static bool want(void *ctx, const struct wt_log_segment *segment, uint32_t kind)
{
	struct wt_dump_log *all = ctx;

	if (!wt_view_select_want(&all->select, segment, kind))
		return false;
	if (all->form == WT_DUMP_CSV)
		wt_dump_csv_add(&all->csv, segment->kinds.kinds[kind].event);
	return true;
}

/* Returns false when the ranges of a block's fields rule out all its events. */
static bool may(void *ctx, const struct wt_log_outline *outline)
{
	return wt_view_filter_may(&((const struct wt_dump_log *)ctx)->filter, outline);
}

int wt_dump_log_open(struct wt_dump_log *all, struct wt_buf *shown, struct wt_err *err)
{
	const struct wt_question *ask = all->ask;
	struct wt_view_options options = {.resolve = !ask->no_resolve,
					  .no_inline = ask->no_inline,
					  .first_segment = all->first_segment,
					  .watched = all->watched,
					  .watched_ctx = all->watched_ctx};

	all->range = (struct wt_log_filter){.want = want, .may = may, .ctx = all, .behind = all->behind};
	if (wt_view_file_init(&all->file, all->log, &options, err) ||
	    (ask->regions && wt_region_rows_init(&all->rows, &all->file, &ask->pairs, err)))
		return -1;
	/* Late events must not move the moment from which all times are counted. */
	if (!all->origin)
		all->origin = all->file.origin;
	all->file.origin = all->origin;
	all->filter.file = &all->file;
	all->select.file = &all->file;
	wt_view_facts_init(&all->facts, &all->file);
	all->dump = (struct wt_dump){.file = &all->file,
				     .clock = &wt_log_info(all->log)->clock,
				     .csv = all->form == WT_DUMP_CSV ? &all->csv : NULL,
				     .absolute = all->absolute,
				     .stack = all->stack};
	if (wt_question_filter(ask, &all->filter, &all->select, shown, err))
		return ask->regions ? -1 : wt_question_explain(err);
	return wt_question_range(ask, &all->file, &all->range, err);
}

struct lines {
	struct wt_dump_log *all;
	struct wt_out *out;
};

static int print_regions(void *ctx, const struct wt_log_batch *batch, struct wt_err *err)
{
	struct lines *lines = ctx;
	struct wt_dump_log *all = lines->all;

	if (!wt_view_select_want(&all->select, batch->segment, batch->kind))
		return 0;
	for (uint32_t i = 0; i < batch->n; i++)
		if (print_event(all, batch, i, lines->out, err))
			return -1;
	return 0;
}

/* The columns of CSV are determined before the first region. */
static void add_columns(struct wt_dump_log *all)
{
	const struct wt_region_segment *segment = all->rows.kinds.segments;
	uint32_t n = all->rows.kinds.n_segments ? segment->shadow.kinds.n : 0;

	for (uint32_t k = n ? segment->real->kinds.n : 0; k < n; k++)
		want(all, &segment->shadow, k);
}

static int put_regions(struct wt_dump_log *all, struct wt_out *out, struct wt_err *err)
{
	struct lines lines = {all, out};

	all->rows.from = all->range.from;
	all->rows.to = all->range.to;
	all->rows.most = 1;
	add_columns(all);
	if (all->form == WT_DUMP_CSV && wt_dump_csv_head(&all->csv, &all->dump, &out->buf, err))
		return -1;
	return wt_region_rows_scan(&all->rows, print_regions, &lines, err);
}

int wt_dump_log_put(struct wt_dump_log *all, struct wt_out *out, struct wt_err *err)
{
	struct wt_log_iter *iter;
	int failed;

	if (all->ask->regions)
		return put_regions(all, out, err);
	if (wt_log_iter_create(all->log, &all->range, &iter, err))
		return -1;
	failed = (all->form == WT_DUMP_CSV && wt_dump_csv_head(&all->csv, &all->dump, &out->buf, err)) ||
		 print_events(all, iter, out, err);
	wt_log_iter_destroy(iter);
	return failed ? -1 : 0;
}

/* Frees what belongs to one round. */
static void close_view(struct wt_dump_log *all)
{
	wt_dump_deinit(&all->dump);
	wt_dump_csv_deinit(&all->csv);
	wt_view_facts_deinit(&all->facts);
	wt_view_filter_deinit(&all->filter);
	wt_view_select_deinit(&all->select);
	wt_view_file_deinit(&all->file);
	wt_region_rows_deinit(&all->rows);
}

void wt_dump_log_next(struct wt_dump_log *all)
{
	uint32_t n = wt_log_info(all->log)->n_segments;

	close_view(all);
	all->behind = wt_log_followed(all->log);
	for (; all->first_segment + 1 < n; all->first_segment++)
		wt_log_unload_segment(all->log, all->first_segment);
}

void wt_dump_log_close(struct wt_dump_log *all)
{
	close_view(all);
	wt_log_close(all->log);
}
