// SPDX-License-Identifier: MIT
/* Gives the events of all blocks in the order of time. */
#include <stdlib.h>
#include <string.h>

#include "tracecore/base/heads.h"
#include "tracecore/base/bound.h"
#include "tracecore/logfmt/read/reader_impl.h"

/* The bytes of decoded events held at once, unless the filter sets another number. Blocks that overlap in
 * time beyond this are decoded piece by piece: slower, but in bounded memory. */
#define HELD_BYTES (UINT64_C(64) << 20)
#define MIN_PIECE  16

/* A block being read. Its events from `done` on have not been given yet; the next of them are in batch. */
struct run {
	struct wt_log_ref *ref;
	struct wt_log_batch *batch; /* owned */
	size_t held;                /* bytes of it */
	uint32_t at;                /* in batch */
	uint32_t done;              /* events of the trimmed block before batch */
	bool more;                  /* the block has events after those in batch */
	const uint64_t *time;       /* of batch */
	uint32_t n, order;          /* of batch; place of the block among all */
	uint32_t n_columns;         /* of batch */
};

struct wt_log_iter {
	struct wt_log_reader *log;
	struct wt_log_filter filter;
	struct wt_log_decoder decoder;
	struct wt_log_ref **blocks; /* by time_min, then place in the file */
	uint32_t n_blocks, next_block;
	struct run *runs;      /* by slot */
	struct wt_heads heads; /* of the runs, by time and place in the file */
	uint32_t *spare;       /* free slots; with the n_runs taken they are cap_runs */
	uint32_t n_runs, cap_runs;
	uint64_t held;
	uint32_t given;      /* events of the first run that were given to the caller */
	enum wt_code failed; /* the error that ended it; WT_OK: none */
};

static int by_start(const void *a, const void *b)
{
	const struct wt_log_ref *x = *(struct wt_log_ref *const *)a, *y = *(struct wt_log_ref *const *)b;

	if (x->header.time_min != y->header.time_min)
		return x->header.time_min < y->header.time_min ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* The blocks of one segment are chained, so that a caller that reads segment by segment does not pass over
 * all others each time. */
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
		else if (!rc && iter->filter.scanned && log->refs[i].header.type == WT_DISK_EVENTS)
			iter->filter.scanned->skipped++;
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
	for (uint32_t i = 0; i < iter->cap_runs; i++)
		free(iter->runs[i].batch);
	free(iter->runs);
	wt_heads_deinit(&iter->heads);
	free(iter->spare);
	free(iter->blocks);
	wt_log_decoder_put(iter->log, &iter->decoder);
	free(iter);
}

/* The head of the run in that slot, which is at an event. */
static wt_head head_of(const struct wt_log_iter *iter, uint32_t slot)
{
	const struct run *run = &iter->runs[slot];

	return wt_head_make(run->time[run->at], run->order, slot);
}

/* The number of the n remaining events to hold: all if the bound allows it, else this run's share of the
 * bound. */
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
	struct wt_log_need need = {0};
	uint32_t n;
	int rc;

	if (iter->filter.need)
		iter->filter.need(iter->filter.ctx,
				  &iter->log->segments[wt_log_segment_of(iter->log, run->ref)].segment,
				  run->ref->header.kind, &need);
	rc = wt_log_decode_block(iter->log, &iter->decoder, run->ref, iter->filter.need ? &need : NULL, err);
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
	run->n = n;
	run->n_columns = batch->segment->kinds.kinds[batch->kind].event->n_fields;
	run->time = run->batch->time;
	run->order = (uint32_t)(run->ref - iter->log->refs);
	iter->held += run->held;
	return 0;
}

static int grow_runs(struct wt_log_iter *iter, struct wt_err *err)
{
	uint32_t cap = iter->cap_runs ? iter->cap_runs * 2 : 2;
	struct run *runs = realloc(iter->runs, cap * sizeof(*runs));
	uint32_t *spare = realloc(iter->spare, cap * sizeof(*spare));

	iter->runs = runs ? runs : iter->runs;
	iter->spare = spare ? spare : iter->spare;
	if (!runs || !spare || wt_heads_grow(&iter->heads, cap))
		return wt_fail_nomem(err);
	for (uint32_t slot = cap; slot-- > iter->cap_runs;) {
		runs[slot] = (struct run){0};
		spare[cap - 1 - slot] = slot;
	}
	iter->cap_runs = cap;
	return 0;
}

static int add_run(struct wt_log_iter *iter, struct wt_log_ref *ref, struct wt_err *err)
{
	struct run run = {.ref = ref};
	uint32_t slot;
	int rc;

	if (iter->n_runs == iter->cap_runs && grow_runs(iter, err))
		return -1;
	rc = fill_run(iter, &run, err);
	if (rc)
		return rc < 0 ? -1 : 0;
	slot = iter->spare[iter->cap_runs - iter->n_runs - 1];
	iter->runs[slot] = run;
	iter->n_runs++;
	wt_heads_set(&iter->heads, slot, head_of(iter, slot));
	return 0;
}

static void remove_run(struct wt_log_iter *iter, uint32_t slot)
{
	wt_heads_set(&iter->heads, slot, WT_HEAD_NONE);
	iter->spare[iter->cap_runs - iter->n_runs--] = slot;
}

/* With many runs, the next event of a run has left the caches when its turn comes, and no hardware follows
 * so many streams. So its memory is requested when the event before it is given. */
enum { MANY_RUNS = 8 };

static void expect_next(const struct run *run)
{
	const struct wt_log_batch *batch = run->batch;
	uint32_t at = run->at + 1;

	if (at >= run->n)
		return;
	__builtin_prefetch(&batch->time[at]);
	__builtin_prefetch(&batch->cpu[at]);
	__builtin_prefetch(&batch->thread[at]);
	__builtin_prefetch(&batch->stack[at]);
	__builtin_prefetch(&batch->self[at]);
	for (uint32_t c = 0; c < run->n_columns; c++) {
		const struct wt_log_column *column = &batch->columns[c];

		if (column->values)
			__builtin_prefetch(&column->values[at]);
		else if (column->offsets)
			__builtin_prefetch(&column->bytes[column->offsets[at]]);
	}
}

/* Moves the first run past the events given last. */
static int advance(struct wt_log_iter *iter, uint32_t given, struct wt_err *err)
{
	uint32_t slot = wt_head_slot(wt_heads_first(&iter->heads));
	struct run *run = &iter->runs[slot];
	int rc = 0;

	run->at += given;
	if (run->at == run->n) {
		run->done += run->n;
		iter->held -= run->held;
		free(run->batch);
		run->batch = NULL;
		rc = run->more ? fill_run(iter, run, err) : 1;
	} else if (iter->n_runs >= MANY_RUNS) {
		expect_next(run);
	}
	if (rc)
		remove_run(iter, slot);
	else
		wt_heads_set(&iter->heads, slot, head_of(iter, slot));
	return rc < 0 ? -1 : 0;
}

/* The events of the only run that come before any other block begins. */
static uint32_t before_others(const struct wt_log_iter *iter, const struct run *run)
{
	uint32_t lo;
	uint64_t limit;

	if (iter->next_block == iter->n_blocks)
		return run->n - run->at;
	limit = iter->blocks[iter->next_block]->header.time_min;
	lo = WT_BOUND(i, run->at + 1, run->n, run->time[i] < limit);
	return lo - run->at;
}

/* Moves past the events given last, and reads the blocks that begin before the next event. */
static int go_on(struct wt_log_iter *iter, struct wt_err *err)
{
	uint32_t given = iter->given;

	iter->given = 0;
	if (given && advance(iter, given, err))
		return -1;
	while (iter->next_block < iter->n_blocks &&
	       (!iter->n_runs || iter->blocks[iter->next_block]->header.time_min <=
					 wt_head_time(wt_heads_first(&iter->heads)))) {
		wt_listener_tell(&iter->filter.listener, iter->next_block, iter->n_blocks);
		if (add_run(iter, iter->blocks[iter->next_block++], err))
			return -1;
	}
	return 0;
}

/* 0: the first run is at the next event; 1: there is none. */
static int stand(struct wt_log_iter *iter, struct wt_err *err)
{
	if (iter->failed)
		return wt_fail(err, iter->failed, "an earlier read of %s failed: later events were not read",
			       iter->log->name);
	if (go_on(iter, err)) {
		iter->failed = err ? err->code : WT_ERR_SYSTEM;
		return -1;
	}
	iter->given = iter->n_runs > 0;
	return !iter->n_runs;
}

int wt_log_iter_next(struct wt_log_iter *iter, const struct wt_log_batch **batch, uint32_t *index,
		     struct wt_err *err)
{
	const struct run *run;
	int rc = stand(iter, err);

	if (rc)
		return rc;
	run = &iter->runs[wt_head_slot(wt_heads_first(&iter->heads))];
	*batch = run->batch;
	*index = run->at;
	return 0;
}

int wt_log_iter_next_run(struct wt_log_iter *iter, const struct wt_log_batch **batch, uint32_t *index,
			 uint32_t *n, struct wt_err *err)
{
	int rc = wt_log_iter_next(iter, batch, index, err);

	if (rc == 0 && iter->n_runs == 1)
		iter->given = before_others(iter, &iter->runs[wt_head_slot(wt_heads_first(&iter->heads))]);
	*n = iter->given;
	return rc;
}
