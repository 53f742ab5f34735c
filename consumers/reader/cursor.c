// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "consumers/reader/impl.h"

/* Decoded events of all streams together, and the least a stream gets. */
#define HELD_BYTES (UINT64_C(64) << 20)
#define HELD_LEAST (UINT64_C(256) << 10)

/* ---- make, select ---- */

int wtr_cursor_create(struct wtr_trace *trace, struct wtr_cursor **ret)
{
	struct wtr_cursor *cursor = calloc(1, sizeof(*cursor));

	if (!cursor) {
		wt_fail_nomem(wtr_err());
		return WTR_ERR_NOMEM;
	}
	cursor->trace = trace;
	cursor->event.cursor = cursor;
	trace->n_cursors++;
	*ret = cursor;
	return WTR_OK;
}

static void stream_deinit(struct wtr_stream *stream)
{
	wt_log_iter_destroy(stream->iter);
	free(stream->pids);
	wtr_part_put(stream->part);
	*stream = (struct wtr_stream){0};
}

static void leave(struct wtr_cursor *cursor)
{
	for (uint32_t i = 0; i < cursor->n_heap; i++)
		stream_deinit(&cursor->streams[cursor->heap[i].stream]);
	cursor->n_heap = cursor->n_spare = 0;
	cursor->moved = false;
	cursor->stack_part = NULL;
	free(cursor->plan);
	cursor->plan = NULL;
	cursor->n_plan = cursor->next_plan = 0;
}

void wtr_cursor_destroy(struct wtr_cursor *cursor)
{
	if (!cursor)
		return;
	leave(cursor);
	for (uint32_t i = 0; i < cursor->n_wishes; i++) {
		free(cursor->wishes[i].provider);
		free(cursor->wishes[i].event);
	}
	free(cursor->wishes);
	free(cursor->cpus);
	free(cursor->pids);
	free(cursor->streams);
	free(cursor->heap);
	free(cursor->spare);
	free(cursor->frames);
	wt_buf_deinit(&cursor->text);
	cursor->trace->n_cursors--;
	free(cursor);
}

static int may_select(const struct wtr_cursor *cursor)
{
	if (!cursor->begun)
		return WTR_OK;
	wt_fail(wtr_err(), WT_ERR_USAGE, "what to select is said before the first event is asked for");
	return WTR_ERR_USAGE;
}

static int no_memory(void)
{
	wt_fail_nomem(wtr_err());
	return WTR_ERR_NOMEM;
}

int wtr_select_event(struct wtr_cursor *cursor, const char *provider, const char *event)
{
	struct wtr_wish wish = {.provider = strdup(provider), .event = event ? strdup(event) : NULL};
	struct wtr_wish *wishes = realloc(cursor->wishes, (cursor->n_wishes + 1) * sizeof(*wishes));

	cursor->wishes = wishes ? wishes : cursor->wishes;
	if (!wishes || !wish.provider || (event && !wish.event) || may_select(cursor)) {
		free(wish.provider);
		free(wish.event);
		return cursor->begun ? may_select(cursor) : no_memory();
	}
	wishes[cursor->n_wishes++] = wish;
	return WTR_OK;
}

static int add_number(const struct wtr_cursor *cursor, uint32_t **list, uint32_t *n, uint32_t value)
{
	uint32_t *more;

	if (may_select(cursor))
		return WTR_ERR_USAGE;
	more = realloc(*list, (*n + 1) * sizeof(*more));
	if (!more)
		return no_memory();
	*list = more;
	more[(*n)++] = value;
	return WTR_OK;
}

int wtr_select_cpu(struct wtr_cursor *cursor, uint32_t cpu)
{
	return add_number(cursor, &cursor->cpus, &cursor->n_cpus, cpu);
}

int wtr_select_pid(struct wtr_cursor *cursor, uint32_t pid)
{
	return add_number(cursor, &cursor->pids, &cursor->n_pids, pid);
}

int wtr_select_time(struct wtr_cursor *cursor, uint64_t from, uint64_t to)
{
	if (may_select(cursor))
		return WTR_ERR_USAGE;
	cursor->from = from;
	cursor->to = to;
	return WTR_OK;
}

static bool has_number(const uint32_t *list, uint32_t n, uint32_t value)
{
	for (uint32_t i = 0; i < n; i++) {
		if (list[i] == value)
			return true;
	}
	return false;
}

static bool wants_kind(void *ctx, const struct wt_log_segment *segment, uint32_t kind)
{
	const struct wtr_cursor *cursor = ctx;
	const struct wt_kind *row = &segment->kinds.kinds[kind];

	for (uint32_t i = 0; i < cursor->n_wishes; i++) {
		const struct wtr_wish *wish = &cursor->wishes[i];

		if (!strcasecmp(wish->provider, row->provider->name) &&
		    (!wish->event || !strcasecmp(wish->event, row->event->name)))
			return true;
	}
	return !cursor->n_wishes;
}

/* ---- the segments there are, by time ---- */

static int by_time(const void *a, const void *b)
{
	const struct wtr_plan *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return (x->segment > y->segment) - (x->segment < y->segment);
}

static void plan_file(struct wtr_cursor *cursor, uint32_t f, uint64_t from)
{
	const struct wt_log_reader *log = cursor->trace->files[f].log;
	uint32_t n = wt_log_info(log)->n_segments;

	for (uint32_t i = 0; i < n; i++) {
		struct wt_log_span span = wt_log_segment_span(log, i);

		if (span.events && span.last_time >= from && (!cursor->to || span.first_time < cursor->to))
			cursor->plan[cursor->n_plan++] = (struct wtr_plan){
				.time = span.first_time, .file = f, .segment = i};
	}
}

static int plan(struct wtr_cursor *cursor, uint64_t from)
{
	const struct wtr_trace *trace = cursor->trace;
	size_t n = 1;

	leave(cursor);
	cursor->from = from;
	for (uint32_t f = 0; f < trace->n_files; f++)
		n += wt_log_info(trace->files[f].log)->n_segments;
	cursor->plan = malloc(n * sizeof(*cursor->plan));
	if (!cursor->plan)
		return wt_fail_nomem(wtr_err());
	for (uint32_t f = 0; f < trace->n_files; f++)
		plan_file(cursor, f, from);
	qsort(cursor->plan, cursor->n_plan, sizeof(*cursor->plan), by_time);
	cursor->begun = true;
	return 0;
}

/* ---- the heap of streams ---- */

static bool before(const struct wtr_head *a, const struct wtr_head *b)
{
	return a->time != b->time ? a->time < b->time : a->order < b->order;
}

static void sift_down(struct wtr_cursor *cursor)
{
	struct wtr_head moved = cursor->heap[0];
	uint32_t i = 0;

	for (;;) {
		uint32_t child = 2 * i + 1;

		if (child >= cursor->n_heap)
			break;
		if (child + 1 < cursor->n_heap && before(&cursor->heap[child + 1], &cursor->heap[child]))
			child++;
		if (!before(&cursor->heap[child], &moved))
			break;
		cursor->heap[i] = cursor->heap[child];
		i = child;
	}
	cursor->heap[i] = moved;
}

static void push(struct wtr_cursor *cursor, struct wtr_head head)
{
	uint32_t i = cursor->n_heap++;

	for (uint32_t parent; i && before(&head, &cursor->heap[parent = (i - 1) / 2]); i = parent)
		cursor->heap[i] = cursor->heap[parent];
	cursor->heap[i] = head;
}

static int grow(struct wtr_cursor *cursor)
{
	uint32_t cap = cursor->cap_heap ? cursor->cap_heap * 2 : 8;
	struct wtr_stream *streams = realloc(cursor->streams, cap * sizeof(*streams));
	struct wtr_head *heap = realloc(cursor->heap, cap * sizeof(*heap));
	uint32_t *spare = realloc(cursor->spare, cap * sizeof(*spare));

	cursor->streams = streams ? streams : cursor->streams;
	cursor->heap = heap ? heap : cursor->heap;
	cursor->spare = spare ? spare : cursor->spare;
	if (!streams || !heap || !spare)
		return wt_fail_nomem(wtr_err());
	cursor->cap_heap = cap;
	return 0;
}

/* ---- streams ---- */

/* Which threads belong to the pids. 1: none does. */
static int choose_threads(const struct wtr_cursor *cursor, struct wtr_stream *stream)
{
	const struct wt_log_segment *tables = stream->part->tables;
	bool any = false;

	if (!cursor->n_pids)
		return 0;
	stream->pids = calloc(tables->n_threads, 1);
	if (!stream->pids)
		return wt_fail_nomem(wtr_err());
	for (uint32_t i = 0; i < tables->n_threads; i++) {
		uint32_t pid = tables->processes[tables->threads[i].process].pid;

		stream->pids[i] = has_number(cursor->pids, cursor->n_pids, pid);
		any |= stream->pids[i];
	}
	return !any;
}

static uint64_t held_share(const struct wtr_trace *trace)
{
	uint64_t share = HELD_BYTES / trace->n_files;

	return share < HELD_LEAST ? HELD_LEAST : share;
}

/* 0: the stream stands at its first event; 1: it has none; -1: failed. */
static int stream_init(struct wtr_cursor *cursor, const struct wtr_plan *plan, struct wtr_stream *ret)
{
	struct wtr_file *file = &cursor->trace->files[plan->file];
	struct wt_log_filter filter = {.from = cursor->from,
				       .to = cursor->to,
				       .first_segment = plan->segment,
				       .n_segments = 1,
				       .cpus = cursor->cpus,
				       .n_cpus = cursor->n_cpus,
				       .held = held_share(cursor->trace)};
	int rc;

	if (cursor->n_wishes) {
		filter.want = wants_kind;
		filter.ctx = cursor;
	}
	*ret = (struct wtr_stream){.part = wtr_part_get(file, plan->segment)};
	if (!ret->part)
		return -1;
	rc = choose_threads(cursor, ret);
	if (rc == 0)
		rc = wt_log_iter_create(file->log, &filter, &ret->iter, wtr_err());
	if (rc == 0)
		rc = wt_log_iter_next(ret->iter, &ret->batch, &ret->index, wtr_err());
	return rc;
}

static int open_next(struct wtr_cursor *cursor)
{
	uint32_t order = cursor->next_plan;
	struct wtr_stream *stream;
	uint32_t number;
	int rc;

	if (cursor->n_heap == cursor->cap_heap && grow(cursor))
		return -1;
	number = cursor->n_spare ? cursor->spare[cursor->n_spare - 1] : cursor->n_heap;
	stream = &cursor->streams[number];
	rc = stream_init(cursor, &cursor->plan[order], stream);
	if (rc < 0) {
		stream_deinit(stream);
		return -1;
	}
	cursor->next_plan++;
	if (rc > 0) {
		stream_deinit(stream);
		return 0;
	}
	cursor->n_spare -= cursor->n_spare > 0;
	push(cursor, (struct wtr_head){stream->batch->time[stream->index], order, number});
	return 0;
}

static void close_first(struct wtr_cursor *cursor)
{
	uint32_t number = cursor->heap[0].stream;

	if (cursor->stack_part == cursor->streams[number].part)
		cursor->stack_part = NULL;
	stream_deinit(&cursor->streams[number]);
	cursor->spare[cursor->n_spare++] = number;
	cursor->heap[0] = cursor->heap[--cursor->n_heap];
	if (cursor->n_heap)
		sift_down(cursor);
}

/* Moves the first stream behind the event given last. */
static int advance(struct wtr_cursor *cursor)
{
	struct wtr_stream *stream = &cursor->streams[cursor->heap[0].stream];
	int rc = wt_log_iter_next(stream->iter, &stream->batch, &stream->index, wtr_err());

	if (rc < 0)
		return -1;
	if (rc > 0) {
		close_first(cursor);
		return 0;
	}
	cursor->heap[0].time = stream->batch->time[stream->index];
	sift_down(cursor);
	return 0;
}

/* ---- events ---- */

static bool passes(const struct wtr_cursor *cursor, const struct wtr_stream *stream)
{
	const struct wt_log_batch *batch = stream->batch;
	uint32_t i = stream->index;

	if (stream->pids && !stream->pids[batch->thread[i]])
		return false;
	return !cursor->n_cpus || has_number(cursor->cpus, cursor->n_cpus, batch->cpu[i]);
}

/* 0: heap[0] is the next event; 1: there is none; -1: failed. */
static int step(struct wtr_cursor *cursor)
{
	if (cursor->moved && advance(cursor))
		return -1;
	cursor->moved = false;
	while (cursor->next_plan < cursor->n_plan &&
	       (!cursor->n_heap || cursor->plan[cursor->next_plan].time <= cursor->heap[0].time)) {
		if (open_next(cursor))
			return -1;
	}
	cursor->moved = cursor->n_heap > 0;
	return cursor->n_heap ? 0 : 1;
}

int wtr_next(struct wtr_cursor *cursor, const struct wtr_event **ret)
{
	const struct wtr_stream *stream;
	int rc;

	if (!cursor->begun && plan(cursor, cursor->from))
		return wtr_failed();
	do {
		rc = step(cursor);
		if (rc)
			return rc < 0 ? wtr_failed() : WTR_END;
		stream = &cursor->streams[cursor->heap[0].stream];
	} while (!passes(cursor, stream));
	cursor->event.part = stream->part;
	cursor->event.batch = stream->batch;
	cursor->event.index = stream->index;
	*ret = &cursor->event;
	return WTR_OK;
}

int wtr_seek(struct wtr_cursor *cursor, uint64_t time)
{
	return plan(cursor, time) ? wtr_failed() : WTR_OK;
}

int wtr_each(struct wtr_cursor *cursor, int (*fn)(void *ctx, const struct wtr_event *event), void *ctx)
{
	const struct wtr_event *event;
	int rc;

	while (!(rc = wtr_next(cursor, &event))) {
		int stop = fn(ctx, event);

		if (stop)
			return stop;
	}
	return rc < 0 ? rc : WTR_OK;
}
