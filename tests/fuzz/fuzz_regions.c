// SPDX-License-Identifier: MIT
// Covers: consumers/analysis/pairing.c
// Covers: consumers/analysis/region_batch.c
// Covers: consumers/analysis/region_kinds.c
// Covers: consumers/analysis/region_losses.c
// Covers: consumers/analysis/region_rows.c
// Covers: consumers/analysis/region_set.c
// Covers: consumers/analysis/task_ids.c
/* The regions of a hostile log, with checksums put right: each has the fields it says and ends after it
 * began, and time inside of others is no more than its own. Then what is inside of them. */
#include <stdlib.h>
#include <string.h>

#include "consumers/analysis/region_set.h"
#include "tests/fuzz/mend.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t number(const struct wt_log_batch *batch, uint32_t i, uint32_t field)
{
	return batch->columns[field].values[i];
}

static int look(void *ctx, const struct wt_log_batch *batch, struct wt_err *err)
{
	const struct wt_event_desc *event = batch->segment->kinds.kinds[batch->kind].event;
	struct wt_buf *text = ctx;
	int duration = wt_event_field(event, "duration"), self = wt_event_field(event, "self_time");

	(void)err;
	for (uint32_t i = 0; i < batch->n; i++) {
		if (batch->thread[i] >= batch->segment->n_threads ||
		    batch->stack[i] > batch->segment->n_stacks)
			abort();
		if (duration == WT_REGION_DURATION &&
		    number(batch, i, (uint32_t)self) > number(batch, i, (uint32_t)duration))
			abort();
		for (uint32_t f = 0; f < event->n_fields; f++) {
			struct wt_value value;

			wt_buf_clear(text);
			if (!wt_log_value(batch, i, f, &value))
				wt_value_text(&value, text);
		}
	}
	return 0;
}

static int mask(void *ctx, const struct wt_log_batch *batch, struct wt_err *err)
{
	uint8_t *inside = malloc(batch->n + (size_t)1);
	int failed = inside ? wt_region_set_mask(ctx, batch, inside, err) : -1;

	free(inside);
	return failed;
}

static void use(struct wt_log_reader *log, const struct wt_region_pairs *pairs)
{
	const struct wt_view_options options = {0};
	struct wt_err err = WT_ERR_INIT;
	struct wt_region_rows rows = {0};
	struct wt_view_file file;
	struct wt_region_set *set;
	struct wt_buf text = {0};

	if (!wt_view_file_init(&file, log, &options, &err) && !wt_region_rows_init(&rows, &file, pairs, &err))
		wt_region_rows_scan(&rows, look, &text, &err);
	wt_view_file_deinit(&file);
	wt_region_rows_deinit(&rows);
	wt_buf_deinit(&text);
	if (wt_region_set_create(log, pairs, "duration >= 0 || region =~ 'a'", &set, &err))
		return;
	wt_log_scan(log, NULL, mask, set, &err);
	wt_region_set_destroy(set);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wt_region_pairs pairs = {0};
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_reader *log = mend_open(data, size);

	wt_region_pairs_add(&pairs, "issue,complete by sector=at,disk", &err);
	wt_region_pairs_add(&pairs, "switch,switch by prev=next", &err);
	if (log) {
		use(log, NULL);
		use(log, &pairs);
		wt_log_close(log);
	}
	wt_region_pairs_deinit(&pairs);
	return 0;
}
