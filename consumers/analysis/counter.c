/* SPDX-License-Identifier: MIT */
#include "consumers/analysis/counter.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

#include "tracecore/base/pool.h"

static bool want(void *ctx, const struct wt_log_segment *segment, uint32_t kind)
{
	return wt_view_select_want(&((struct wt_view_counter *)ctx)->select, segment, kind);
}

static bool may(void *ctx, const struct wt_log_outline *outline)
{
	return wt_view_filter_may(&((struct wt_view_counter *)ctx)->filter, outline);
}

void wt_view_counter_bind(struct wt_view_counter *counter)
{
	counter->filter.file = counter->agg.file = &counter->file;
	counter->select.file = &counter->file;
	counter->agg.filter = &counter->filter;
	wt_view_facts_init(&counter->facts, &counter->file);
	counter->range.want = want;
	counter->range.may = may;
	counter->range.need = wt_view_counter_need;
	counter->range.scanned = &counter->scanned;
	counter->range.ctx = counter;
	counter->most_pairs = WT_VIEW_MOST_PAIRS;
	counter->thread_rows = WT_VIEW_THREAD_ROWS;
}

void wt_view_counter_deinit(struct wt_view_counter *counter)
{
	wt_view_agg_deinit(&counter->agg);
	wt_view_facts_deinit(&counter->facts);
	wt_view_filter_deinit(&counter->filter);
	wt_view_select_deinit(&counter->select);
	wt_view_file_deinit(&counter->file);
}

int wt_view_counter_batch(void *ctx, const struct wt_log_batch *batch, struct wt_err *err)
{
	struct wt_view_counter *counter = ctx;

	if (!batch->n)
		return 0;
	if (wt_view_agg_batch(&counter->agg, batch, err))
		return -1;
	counter->facts.unproved += counter->filter.unproved;
	counter->filter.unproved = 0;
	return wt_view_facts_tally(&counter->facts, batch, counter->agg.leaves, err);
}

static bool adds_reals(const struct wt_view_column *column)
{
	return column->real && column->what >= WT_COLUMN_SUM && column->what < WT_COLUMN_P50;
}

/* Returns whether several threads give the same result as one thread. */
static bool divides(const struct wt_view_counter *counter)
{
	const struct wt_view_agg *agg = &counter->agg;

	for (uint32_t c = 0; c < agg->n_columns; c++)
		if (adds_reals(&agg->columns[c]))
			return false;
	return !counter->feed.scan && !wt_view_filter_asks_regions(&counter->filter);
}

/* ---- threads ---- */

/* Events per row from which on tables of threads are worth merging. */
enum { WORTH_MERGING = 8 };

struct crew {
	struct wt_view_counter *counter; /* the one that gets all */
	pthread_mutex_t lock;            /* of counter */
	uint32_t n, turn;
	bool direct; /* tables of threads would be nearly as large as what they count: count into one */
};

struct worker {
	struct crew *crew;
	const struct wt_view_crew *plan;
	struct wt_view_counter counter;
	struct wt_listener listener; /* the caller's thread reports its progress to it */
};

static int hand_over(struct worker *worker, struct wt_err *err)
{
	int failed;

	pthread_mutex_lock(&worker->crew->lock);
	failed = wt_view_counter_merge(worker->crew->counter, &worker->counter, err);
	pthread_mutex_unlock(&worker->crew->lock);
	return failed;
}

/* Blocks are still read by all threads. */
static int count_directly(struct worker *worker, const struct wt_log_batch *batch, struct wt_err *err)
{
	int failed;

	pthread_mutex_lock(&worker->crew->lock);
	failed = wt_view_counter_batch(worker->crew->counter, batch, err);
	pthread_mutex_unlock(&worker->crew->lock);
	return failed;
}

static int on_batch(void *ctx, const struct wt_log_batch *batch, struct wt_err *err)
{
	struct worker *worker = (struct worker *)((char *)ctx - offsetof(struct worker, counter));
	uint32_t rows;

	if (__atomic_load_n(&worker->crew->direct, __ATOMIC_RELAXED))
		return count_directly(worker, batch, err);
	if (wt_view_counter_batch(ctx, batch, err))
		return -1;
	rows = worker->counter.agg.rows.edges.count + worker->counter.agg.calls.edges.count;
	if (rows <= worker->crew->counter->thread_rows)
		return 0;
	if (worker->counter.facts.events < (uint64_t)rows * WORTH_MERGING)
		__atomic_store_n(&worker->crew->direct, true, __ATOMIC_RELAXED);
	return hand_over(worker, err);
}

static int prepare_worker(struct worker *worker, struct wt_err *err)
{
	struct wt_view_counter *counter = &worker->counter;

	if (worker->plan->prepare(worker->plan->ctx, counter, err))
		return -1;
	counter->agg.marks = WT_MARKS_RISING;
	counter->range.listener = worker->listener;
	counter->range.turn = &worker->crew->turn;
	counter->most_pairs = worker->crew->counter->most_pairs / worker->crew->n;
	wt_view_counter_bound(counter);
	return 0;
}

/* A worker runs beside the others, except while it holds the lock. */
static int count_some(void *arg, struct wt_err *err)
{
	struct worker *worker = arg;
	struct wt_view_counter *counter = &worker->counter;
	int failed = prepare_worker(worker, err) ||
		     wt_log_scan(counter->file.log, &counter->range, on_batch, counter, err) < 0 ||
		     hand_over(worker, err);

	wt_view_counter_deinit(counter);
	return failed ? -1 : 0;
}

/* The names of processes are those of the latest segment with events that are asked for: in the order of the
 * file, before any thread asks for them, and whatever blocks say of their fields. */
static int enter_segments(struct wt_view_counter *counter, struct wt_err *err)
{
	uint32_t n = wt_log_info(counter->file.log)->n_segments;
	uint8_t *chosen = calloc(n + (size_t)1, 1);
	struct wt_log_filter range = counter->range;
	int failed;

	range.may = NULL;
	failed = chosen ? wt_log_chosen(counter->file.log, &range, chosen, err) : wt_fail_nomem(err);

	for (uint32_t i = 0; i < n && !failed; i++) {
		const struct wt_log_segment *tables;
		struct wt_view_segment *segment;

		if (chosen[i])
			failed = wt_log_load_segment(counter->file.log, i, &tables, err) ||
				 wt_view_file_segment(&counter->file, tables, &segment, err);
	}
	free(chosen);
	return failed ? -1 : 0;
}

static int count_together(struct wt_view_counter *counter, uint32_t n, const struct wt_view_crew *plan,
			  struct wt_err *err)
{
	struct crew crew = {.counter = counter, .lock = PTHREAD_MUTEX_INITIALIZER, .n = n};
	struct worker *workers = calloc(n, sizeof(*workers));
	int rc;

	if (!workers)
		return wt_fail_nomem(err);
	for (uint32_t i = 0; i < n; i++)
		workers[i] = (struct worker){.crew = &crew, .plan = plan};
	workers[0].listener = counter->range.listener;
	counter->agg.marks = WT_MARKS_ANY;
	rc = wt_pool_run(workers, n, sizeof(*workers), count_some, err);
	free(workers);
	return rc;
}

/* With at least this many events per stack several threads pay off, although each follows most of the stacks:
 * to follow and merge a stack costs some hundred times as much as an event. */
enum { WORTH_FOLLOWING = 256 };

/* Most of the work is to follow stacks, and to merge the stacks that several threads have followed. */
static bool follows_many(const struct wt_view_counter *counter)
{
	const struct wt_view_file *file = &counter->file;
	uint64_t stacks = 0;

	if (!counter->agg.inclusive && !wt_view_agg_by_stack(&counter->agg))
		return false;
	for (uint32_t i = 0; i < file->n_segments; i++)
		stacks += file->segments[i].tables->n_stacks;
	return wt_log_info(file->log)->events < stacks * WORTH_FOLLOWING;
}

static uint32_t thread_count(const struct wt_view_counter *counter, const struct wt_view_crew *crew)
{
	uint64_t worth = wt_log_info(counter->file.log)->events / WT_VIEW_EVENTS_PER_THREAD;
	uint32_t n = crew->threads;

	if (!divides(counter))
		return 1;
	if (!n && follows_many(counter))
		return 1;
	if (!n) {
		n = wt_pool_cpus();
		n = worth < n ? (uint32_t)worth : n;
	}
	return n < WT_VIEW_MOST_THREADS ? n : WT_VIEW_MOST_THREADS;
}

int wt_view_count(struct wt_view_counter *counter, const struct wt_view_crew *crew, struct wt_err *err)
{
	uint32_t n = thread_count(counter, crew);

	wt_view_counter_bound(counter);
	if (counter->feed.scan)
		return counter->feed.scan(counter->feed.from, wt_view_counter_batch, counter, err) < 0
			       ? -1
			       : wt_view_count_deferred(counter, err);
	if (enter_segments(counter, err))
		return -1;
	if (n > 1 ? count_together(counter, n, crew, err)
		  : wt_log_scan(counter->file.log, &counter->range, wt_view_counter_batch, counter, err))
		return -1;
	return wt_view_count_deferred(counter, err);
}
