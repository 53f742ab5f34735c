/* SPDX-License-Identifier: MIT */
// Covers: tracecore/logfmt/read/batch.c
// Covers: tracecore/logfmt/read/census.c
// Covers: tracecore/logfmt/format/column_[fgn]*.c
// Covers: tracecore/logfmt/read/iter.c
// Covers: tracecore/logfmt/read/list.c
// Covers: tracecore/logfmt/format/ranges.c
// Covers: tracecore/logfmt/read/reader.c
// Covers: tracecore/logfmt/rewrite/resume.c
// Covers: tracecore/logfmt/write/rows.c
// Covers: tracecore/logfmt/read/scan.c
// Covers: tracecore/logfmt/read/segment*.c
// Covers: tracecore/logfmt/format/walk.c
/* The whole reader over a hostile file. Checksums are put right first, else nothing behind them would ever be
 * reached; a file whose header flags are odd is taken as it is. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/fuzz/mend.h"
#include "tracecore/logfmt/read/reader.h"
#include "tracecore/logfmt/write/writer.h"
#include "tracecore/logfmt/rewrite/resume.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int look(void *ctx, const struct wt_log_batch *batch, struct wt_err *err)
{
	const struct wt_event_desc *desc = batch->segment->kinds.kinds[batch->kind].event;
	struct wt_buf *text = ctx;

	(void)err;
	for (uint32_t i = 0; i < batch->n; i += 1 + batch->n / 16) {
		if (batch->thread[i] >= batch->segment->n_threads ||
		    batch->stack[i] > batch->segment->n_stacks)
			abort();
		for (uint32_t f = 0; f < desc->n_fields; f++) {
			struct wt_value value;

			wt_buf_clear(text);
			if (wt_log_value(batch, i, f, &value) == 0)
				wt_value_text(&value, text);
		}
	}
	return 0;
}

static void touch(const struct wt_str *str, uint64_t *sum)
{
	for (uint32_t i = 0; i < str->len; i++)
		*sum += (uint8_t)str->p[i];
}

/* Every id must lead somewhere, every string must be readable. */
static uint64_t look_at_tables(const struct wt_log_segment *segment)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < segment->n_threads; i++) {
		if (segment->threads[i].process >= segment->n_processes)
			abort();
		touch(&segment->processes[segment->threads[i].process].name, &sum);
		touch(&segment->threads[i].name, &sum);
	}
	for (uint32_t i = 0; i < segment->n_stacks; i++) {
		if (segment->stacks[i].caller > i || segment->stacks[i].frame >= segment->n_frames)
			abort();
	}
	for (uint32_t i = 0; i < segment->n_frames; i++) {
		if (segment->frames[i].image >= segment->n_images)
			abort();
		touch(&segment->images[segment->frames[i].image].path, &sum);
		touch(&segment->symbols[i].name, &sum);
	}
	for (uint32_t i = 0; i < segment->n_facts; i++)
		touch(&segment->facts[i].value, &sum);
	return sum;
}

/* Ranges are of the block that is asked about. */
static bool may(void *ctx, const struct wt_log_outline *outline)
{
	(void)ctx;
	for (uint32_t i = 0; i < outline->n_ranges; i++)
		if (outline->ranges[i].time != outline->first_time ||
		    outline->ranges[i].kind != outline->kind || outline->ranges[i].count != outline->count)
			abort();
	return outline->n_ranges % 2 == 0;
}

static void iterate(struct wt_log_reader *log)
{
	const struct wt_log_batch *batch;
	struct wt_log_iter *iter;
	uint64_t last = 0;
	uint32_t index;

	if (wt_log_iter_create(log, NULL, &iter, NULL))
		return;
	for (unsigned n = 0; n < 1000000 && wt_log_iter_next(iter, &batch, &index, NULL) == 0; n++) {
		if (batch->time[index] < last)
			abort();
		last = batch->time[index];
	}
	wt_log_iter_destroy(iter);
}

/* Going on with the file must leave one that reads as complete. */
static void resume(int fd)
{
	struct wt_log_position *positions;
	struct wt_log_writer *writer;
	struct wt_log_reader *log;
	struct wt_kinds kinds = {0};
	size_t n;

	if (wt_log_resume(fd, &kinds, NULL, &writer, &positions, &n, NULL) == 0) {
		for (size_t i = 0; i < n; i++)
			touch(&(struct wt_str){(const char *)&positions[i], sizeof(positions[i])},
			      &(uint64_t){0});
		if (wt_log_finish(writer, NULL) || wt_log_open_fd(dup(fd), "resumed", &log, NULL))
			abort();
		if (!wt_log_info(log)->complete)
			abort();
		wt_log_close(log);
		wt_log_writer_destroy(writer);
		free(positions);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct wt_log_filter some = {.may = may};
	const struct wt_log_segment *segment;
	struct wt_log_dropped dropped;
	struct wt_log_reader *log;
	struct wt_buf text = {0};
	uint8_t *copy = malloc(size + 1);
	int fd = memfd_create("log", MFD_CLOEXEC);

	if (!copy || fd < 0)
		abort();
	memcpy(copy, data, size);
	mend_log(copy, size);
	if (pwrite(fd, copy, size, 0) != (ssize_t)size)
		abort();
	free(copy);
	if (wt_log_open_fd(dup(fd), "fuzz", &log, NULL)) {
		close(fd);
		return 0;
	}
	for (uint32_t i = 0; i < wt_log_info(log)->n_segments; i++) {
		if (wt_log_load_segment(log, i, &segment, NULL) == 0)
			look_at_tables(segment);
	}
	wt_log_scan(log, &some, look, &text, NULL);
	if (wt_log_read_dropped(log, &dropped, NULL) == 0)
		wt_log_dropped_deinit(&dropped);
	wt_log_scan(log, NULL, look, &text, NULL);
	iterate(log);
	wt_log_close(log);
	wt_buf_deinit(&text);
	resume(fd);
	close(fd);
	return 0;
}
