/* SPDX-License-Identifier: MIT */
#include "tools/view/dump.h"

void wt_dump_deinit(struct wt_dump *dump)
{
	wt_chains_deinit(&dump->chains);
}

int wt_dump_each_frame(struct wt_dump *dump, struct wt_view_segment *segment, uint32_t stack,
		       void (*fn)(void *ctx, const struct wt_view_frame *frame, uint32_t index), void *ctx,
		       struct wt_err *err)
{
	const struct wt_log_segment *tables = segment->tables;

	if (wt_view_resolve(dump->file, segment, err))
		return -1;
	for (uint32_t i = 0; stack && stack <= tables->n_stacks && i < WT_MAX_FRAMES; i++) {
		const struct wt_view_frame *frame = wt_view_leaf(dump->file, segment, stack);

		if (!frame)
			return wt_fail_nomem(err);
		fn(ctx, frame, i);
		stack = tables->stacks[stack - 1].caller;
	}
	return 0;
}

struct wt_log_batch wt_dump_single(const struct wt_log_batch *batch, uint32_t i,
				   struct wt_log_column columns[WT_SCHEMA_MAX_FIELDS])
{
	const struct wt_event_desc *event = batch->segment->kinds.kinds[batch->kind].event;
	struct wt_log_batch one = *batch;

	for (uint32_t f = 0; f < event->n_fields && f < WT_SCHEMA_MAX_FIELDS; f++) {
		columns[f] = batch->columns[f];
		if (columns[f].values)
			columns[f].values += i;
		if (columns[f].offsets)
			columns[f].offsets += i;
	}
	one.n = 1;
	one.time += i;
	one.cpu += i;
	one.thread += i;
	one.stack += i;
	one.self += i;
	one.claimed += i;
	if (one.activity)
		one.activity += (size_t)i * WT_ACTIVITY_ID;
	if (one.related)
		one.related += (size_t)i * WT_ACTIVITY_ID;
	one.columns = columns;
	return one;
}
