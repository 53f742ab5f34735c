// SPDX-License-Identifier: MIT
// Covers: consumers/analysis/pause_blame.c
// Covers: consumers/analysis/pause_path.c
// Covers: consumers/analysis/pause_rows.c
// Covers: consumers/analysis/wait_batch.c
// Covers: consumers/analysis/wait_kind.c
// Covers: consumers/analysis/wait_losses.c
// Covers: consumers/analysis/wait_machine.c
// Covers: consumers/analysis/wait_rows.c
// Covers: consumers/analysis/wait_source.c
/* The turns of a hostile log, with checksums put right, and its longest pauses: the parts of a turn add up to
 * it, and the segments and the blame of a pause fill it. */
#include <stdlib.h>
#include <string.h>

#include "consumers/analysis/pause_blame.h"
#include "consumers/analysis/pause_rows.h"
#include "consumers/analysis/wait_batch.h"
#include "tests/fuzz/mend.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PAUSES = 4 };

static uint64_t number(const struct wt_log_batch *batch, uint32_t i, enum wt_wait_field field)
{
	return batch->columns[field].values[i];
}

static void must(bool so)
{
	if (!so)
		abort();
}

static int look(void *ctx, const struct wt_log_batch *batch, struct wt_err *err)
{
	struct wt_buf *text = ctx;

	(void)err;
	for (uint32_t i = 0; i < batch->n; i++) {
		must(batch->thread[i] < batch->segment->n_threads &&
		     batch->stack[i] <= batch->segment->n_stacks);
		must(number(batch, i, WT_WAIT_LIFE) ==
		     number(batch, i, WT_WAIT_RUNNING) + number(batch, i, WT_WAIT_READY) +
			     number(batch, i, WT_WAIT_BLOCKED) + number(batch, i, WT_WAIT_UNKNOWN));
		for (uint32_t f = 0; f < WT_WAIT_FIELDS; f++) {
			struct wt_value value;

			wt_buf_clear(text);
			if (!wt_log_value(batch, i, f, &value))
				wt_value_text(&value, text);
		}
	}
	return 0;
}

static void check_blame(const struct wt_pause_path *path, uint64_t length)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_pause_blame *rows;
	uint32_t n, share = 0;

	if (wt_pause_blame(path, &rows, &n, &err))
		return;
	for (uint32_t i = 0; i < n; i++) {
		length -= rows[i].length;
		share += rows[i].share;
	}
	must(!length && share == WT_PAUSE_ALL);
	free(rows);
}

static void check_pause(struct wt_wait_rows *waits, const struct wt_pause_stretch *stretch)
{
	struct wt_pause_path path = {0};
	struct wt_err err = WT_ERR_INIT;
	struct wt_buf text = {0};
	uint64_t at = stretch->from, own = 0;

	if (!wt_pause_gather(&path, waits, stretch->from, stretch->to, &err) &&
	    !wt_pause_walk(&path, stretch->tid, stretch->from, stretch->to, &err)) {
		for (uint32_t i = 0; i < path.n_segments; i++) {
			must(path.segments[i].from == at && path.segments[i].to > at);
			at = path.segments[i].to;
			wt_pause_thread_text(waits, path.segments[i].tid, at, &text);
			wt_buf_clear(&text);
		}
		for (int state = 0; state < WT_PAUSE_STATES; state++)
			own += path.own[state];
		must(at == stretch->to && own == stretch->to - stretch->from);
		check_blame(&path, own);
	}
	wt_buf_deinit(&text);
	wt_pause_deinit(&path);
}

static void use(struct wt_log_reader *log)
{
	const struct wt_view_options options = {0};
	struct wt_err err = WT_ERR_INIT;
	struct wt_wait_rows waits = {0};
	struct wt_pause_search search = {.most = PAUSES};
	struct wt_view_file file;
	struct wt_buf text = {0};

	if (!wt_view_file_init(&file, log, &options, &err) && !wt_wait_rows_init(&waits, &file, &err) &&
	    !wt_wait_rows_scan(&waits, look, &text, &err) && !wt_pause_find(&search, &waits, &err))
		for (uint32_t i = 0; i < search.n_found; i++)
			check_pause(&waits, &search.found[i]);
	wt_pause_search_deinit(&search);
	wt_view_file_deinit(&file);
	wt_wait_rows_deinit(&waits);
	wt_buf_deinit(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wt_log_reader *log = mend_open(data, size);

	if (log) {
		use(log);
		wt_log_close(log);
	}
	return 0;
}
