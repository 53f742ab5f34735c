/* SPDX-License-Identifier: MIT */
/* Hits of a scan, by table, segment and frame. */
#include <stdlib.h>

#include "consumers/annotate/annotate.h"
#include "consumers/model/sample.h"
#include "tracecore/base/grow.h"

void wt_annotate_init(struct wt_annotate *annotate, struct wt_view_counter *counter)
{
	*annotate = (struct wt_annotate){.counter = counter};
}

void wt_annotate_deinit(struct wt_annotate *annotate)
{
	wt_intern_deinit(&annotate->places);
	free(annotate->hits);
	*annotate = (struct wt_annotate){0};
}

static uint32_t segment_of(const struct wt_view_file *file, const struct wt_log_segment *log)
{
	uint32_t i = file->last;

	if (i < file->n_segments && file->segments[i].log == log)
		return i;
	for (i = 0; i < file->n_segments && file->segments[i].log != log; i++)
		;
	return i;
}

static int add(struct wt_annotate *annotate, uint32_t root, uint64_t frame, const struct wt_log_batch *batch,
	       uint32_t i, struct wt_err *err)
{
	bool fresh;
	uint32_t place = wt_intern(&annotate->places, root, frame, &fresh);
	struct wt_annotate_hit *hit;

	if (place == WT_INTERN_NONE)
		return wt_fail_nomem(err);
	if (wt_grow(&annotate->hits, &annotate->cap, place, 1, err))
		return -1;
	hit = &annotate->hits[place];
	hit->count = fresh ? 1 : hit->count + 1;
	hit->time = batch->time[i];
	hit->thread = batch->thread[i];
	return 0;
}

int wt_annotate_batch(struct wt_annotate *annotate, const struct wt_log_batch *batch, struct wt_err *err)
{
	const struct wt_view_agg *agg = &annotate->counter->agg;
	const struct wt_log_segment *log = batch->segment;
	uint64_t segment = (uint64_t)segment_of(&annotate->counter->file, log) << 32;

	if (!batch->n || wt_view_is_unsampled(log, batch->kind))
		return 0;
	for (uint32_t i = 0; i < batch->n; i++) {
		uint32_t stack = batch->stack[i], row = agg->leaves[i];

		if (row == WT_VIEW_NONE || !stack || batch->self[i] ||
		    log->stacks[stack - 1].frame >= log->n_frames)
			continue;
		if (add(annotate, agg->rows.nodes[row].root, segment | log->stacks[stack - 1].frame, batch, i,
			err))
			return -1;
	}
	return 0;
}
