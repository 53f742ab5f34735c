// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>

#include "tracecore/logfmt/log_reader_impl.h"

/* Decoded events held at once, unless the filter says how much. Blocks that overlap in time beyond this are
 * decoded piece by piece: slower, but in bounded memory. */
#define HELD_BYTES (UINT64_C(64) << 20)
#define MIN_PIECE  16

/* A block being read; its events from `done` on are still to come, the next of them are in batch. */
struct run {
	struct wt_log_ref *ref;
	struct wt_log_batch *batch; /* owned */
	size_t held;                /* bytes of it */
	uint32_t at;                /* in batch */
	uint32_t done;              /* events of the trimmed block before batch */
	bool more;                  /* the block has events behind batch */
	uint64_t time;              /* of the next event */
};

struct wt_log_iter {
	struct wt_log_reader *log;
	struct wt_log_filter filter;
	struct wt_log_decoder decoder;
	struct wt_log_ref **blocks; /* by time_min, then place in the file */
	uint32_t n_blocks, next_block;
	struct run *runs; /* a heap by (time, place) */
	uint32_t n_runs, cap_runs;
	uint64_t held;
	bool started;
};

static int by_start(const void *a, const void *b)
{
	const struct wt_log_ref *x = *(struct wt_log_ref *const *)a, *y = *(struct wt_log_ref *const *)b;

	if (x->header.time_min != y->header.time_min)
		return x->header.time_min < y->header.time_min ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* One segment's blocks are chained: who reads segment by segment does not go through all others each time. */
static uint32_t first_block(const struct wt_log_iter *iter)
{
	if (iter->filter.n_segments == 1)
		return iter->filter.first_segment < iter->log->info.n_segments
			       ? iter->log->segments[iter->filter.first_segment].first
			       : WT_LOG_NONE;
	return iter->log->n_refs ? 0 : WT_LOG_NONE;
}

static uint32_t next_block(const struct wt_log_iter *iter, uint32_t i)
{
	if (iter->filter.n_segments == 1)
		return iter->log->refs[i].next;
	return i + 1 < iter->log->n_refs ? i + 1 : WT_LOG_NONE;
}

static int choose_blocks(struct wt_log_iter *iter, struct wt_err *err)
{
	struct wt_log_reader *log = iter->log;
	struct wt_log_choice choice = {0};
	uint32_t n = 0;
	int rc = 0;

	for (uint32_t i = first_block(iter); i != WT_LOG_NONE; i = next_block(iter, i))
		n++;
	iter->blocks = malloc((n + (size_t)1) * sizeof(struct wt_log_ref *));
	if (!iter->blocks)
		return wt_fail_nomem(err);
	for (uint32_t i = first_block(iter); i != WT_LOG_NONE && rc >= 0; i = next_block(iter, i)) {
		rc = wt_log_choose(log, &iter->filter, &choice, &log->refs[i], err);
		if (rc > 0)
			iter->blocks[iter->n_blocks++] = &log->refs[i];
	}
	free(choice.answers);
	if (rc < 0)
		return -1;
	if (iter->n_blocks)
		qsort(iter->blocks, iter->n_blocks, sizeof(struct wt_log_ref *), by_start);
	return 0;
}

int wt_log_iter_create(struct wt_log_reader *log, const struct wt_log_filter *filter,
		       struct wt_log_iter **ret, struct wt_err *err)
{
	struct wt_log_iter *iter = calloc(1, sizeof(*iter));

	if (!iter)
		return wt_fail_nomem(err);
	iter->log = log;
	if (filter)
		iter->filter = *filter;
	if (!iter->filter.held)
		iter->filter.held = HELD_BYTES;
	if (wt_log_decoder_take(log, &iter->decoder, err) || choose_blocks(iter, err)) {
		wt_log_iter_destroy(iter);
		return -1;
	}
	*ret = iter;
	return 0;
}

void wt_log_iter_destroy(struct wt_log_iter *iter)
{
	if (!iter)
		return;
	for (uint32_t i = 0; i < iter->n_runs; i++)
		free(iter->runs[i].batch);
	free(iter->runs);
	free(iter->blocks);
	wt_log_decoder_put(iter->log, &iter->decoder);
	free(iter);
}

static bool before(const struct run *a, const struct run *b)
{
	return a->time != b->time ? a->time < b->time : a->ref->offset < b->ref->offset;
}

static void sift_down(struct wt_log_iter *iter, uint32_t i)
{
	struct run moved = iter->runs[i];

	for (;;) {
		uint32_t child = 2 * i + 1;

		if (child >= iter->n_runs)
			break;
		if (child + 1 < iter->n_runs && before(&iter->runs[child + 1], &iter->runs[child]))
			child++;
		if (!before(&iter->runs[child], &moved))
			break;
		iter->runs[i] = iter->runs[child];
		i = child;
	}
	iter->runs[i] = moved;
}

static void sift_up(struct wt_log_iter *iter, uint32_t i)
{
	struct run moved = iter->runs[i];

	for (uint32_t parent; i && before(&moved, &iter->runs[parent = (i - 1) / 2]); i = parent)
		iter->runs[i] = iter->runs[parent];
	iter->runs[i] = moved;
}

/* How many of the n events left to hold: all, if that keeps the bound, else this run's share of it. */
static uint32_t piece_of(const struct wt_log_iter *iter, const struct wt_log_batch *batch, uint32_t first)
{
	uint32_t n = batch->n - first;
	size_t size = wt_log_batch_size(batch, first, n);
	uint64_t share = iter->filter.held / 2 / (iter->n_runs + 1);
	uint64_t piece;

	if (iter->held + size <= iter->filter.held / 2 || size <= share)
		return n;
	piece = share / (size / n + 1);
	if (piece < MIN_PIECE)
		piece = MIN_PIECE;
	return piece < n ? (uint32_t)piece : n;
}

/* Gives the run its next events. 0; 1 when it has no more; -1 failed. */
static int fill_run(struct wt_log_iter *iter, struct run *run, struct wt_err *err)
{
	const struct wt_log_batch *batch = &iter->decoder.store.batch;
	int rc = wt_log_decode_block(iter->log, &iter->decoder, run->ref, NULL, err);
	uint32_t n;

	if (rc)
		return rc;
	wt_log_batch_trim(&iter->decoder.store.batch, iter->decoder.store.columns, iter->filter.from,
			  iter->filter.to);
	if (run->done >= batch->n)
		return 1;
	n = piece_of(iter, batch, run->done);
	run->batch = wt_log_batch_copy(batch, run->done, n);
	if (!run->batch)
		return wt_fail_nomem(err);
	run->held = wt_log_batch_size(batch, run->done, n);
	run->more = run->done + n < batch->n;
	run->at = 0;
	run->time = run->batch->time[0];
	iter->held += run->held;
	return 0;
}

static int add_run(struct wt_log_iter *iter, struct wt_log_ref *ref, struct wt_err *err)
{
	struct run run = {.ref = ref};
	int rc = fill_run(iter, &run, err);

	if (rc)
		return rc < 0 ? -1 : 0;
	if (iter->n_runs == iter->cap_runs) {
		uint32_t cap = iter->cap_runs ? iter->cap_runs * 2 : 16;
		struct run *runs = realloc(iter->runs, cap * sizeof(*runs));

		if (!runs) {
			free(run.batch);
			return wt_fail_nomem(err);
		}
		iter->runs = runs;
		iter->cap_runs = cap;
	}
	iter->runs[iter->n_runs] = run;
	sift_up(iter, iter->n_runs++);
	return 0;
}

static void remove_first(struct wt_log_iter *iter)
{
	iter->runs[0] = iter->runs[--iter->n_runs];
	if (iter->n_runs)
		sift_down(iter, 0);
}

/* Moves the first run behind the event given last. */
static int advance(struct wt_log_iter *iter, struct wt_err *err)
{
	struct run *run = &iter->runs[0];
	int rc = 0;

	if (++run->at < run->batch->n) {
		run->time = run->batch->time[run->at];
		sift_down(iter, 0);
		return 0;
	}
	run->done += run->batch->n;
	iter->held -= run->held;
	free(run->batch);
	run->batch = NULL;
	rc = run->more ? fill_run(iter, run, err) : 1;
	if (rc)
		remove_first(iter);
	else
		sift_down(iter, 0);
	return rc < 0 ? -1 : 0;
}

int wt_log_iter_next(struct wt_log_iter *iter, const struct wt_log_batch **batch, uint32_t *index,
		     struct wt_err *err)
{
	if (iter->started && advance(iter, err))
		return -1;
	iter->started = false;
	while (iter->next_block < iter->n_blocks &&
	       (!iter->n_runs || iter->blocks[iter->next_block]->header.time_min <= iter->runs[0].time)) {
		if (add_run(iter, iter->blocks[iter->next_block++], err))
			return -1;
	}
	if (!iter->n_runs)
		return 1;
	iter->started = true;
	*batch = iter->runs[0].batch;
	*index = iter->runs[0].at;
	return 0;
}
