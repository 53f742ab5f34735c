// SPDX-License-Identifier: MIT
/* Cursors: the selection, and the events of all segments, sorted by time. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "consumers/reader/impl.h"
#include "tracecore/base/grow.h"

/* Bytes of decoded events of all streams together, and the least share of a stream. */
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
	if (trace->grows && trace->n_cursors) {
		free(cursor);
		wt_fail(wtr_err(), WT_ERR_USAGE, "a trace that grows has one cursor at a time");
		return WTR_ERR_USAGE;
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

static void close_stream(struct wtr_cursor *cursor, uint32_t slot)
{
	if (cursor->stack_part == cursor->streams[slot].part)
		cursor->stack_part = NULL;
	stream_deinit(&cursor->streams[slot]);
	wt_heads_set(&cursor->heads, slot, WT_HEAD_NONE);
	cursor->spare[cursor->cap_streams - cursor->n_streams--] = slot;
}

static void leave(struct wtr_cursor *cursor)
{
	while (cursor->n_streams)
		close_stream(cursor, wt_head_slot(wt_heads_first(&cursor->heads)));
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
	for (size_t i = 0; i < cursor->n_fields; i++)
		free(cursor->fields[i]);
	free(cursor->fields);
	free(cursor->wishes);
	free(cursor->cpus);
	free(cursor->pids);
	free(cursor->streams);
	wt_heads_deinit(&cursor->heads);
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
	wt_fail(wtr_err(), WT_ERR_USAGE, "the selection must be made before the first event is read");
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

	if (wt_grow_one(&cursor->wishes, cursor->n_wishes, NULL) || !wish.provider ||
	    (event && !wish.event) || may_select(cursor)) {
		free(wish.provider);
		free(wish.event);
		return cursor->begun ? may_select(cursor) : no_memory();
	}
	cursor->wishes[cursor->n_wishes++] = wish;
	return WTR_OK;
}

static int add_number(const struct wtr_cursor *cursor, uint32_t **list, uint32_t *n, uint32_t value)
{
	if (may_select(cursor))
		return WTR_ERR_USAGE;
	if (wt_grow_one(list, *n, NULL))
		return no_memory();
	(*list)[(*n)++] = value;
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

int wtr_select_fields(struct wtr_cursor *cursor, const char *const *names, size_t n)
{
	char **fields;

	if (may_select(cursor))
		return WTR_ERR_USAGE;
	fields = realloc(cursor->fields, (cursor->n_fields + n + 1) * sizeof(*fields));
	if (!fields)
		return no_memory();
	cursor->fields = fields;
	cursor->some_fields = true;
	for (size_t i = 0; i < n; i++) {
		fields[cursor->n_fields] = strdup(names[i]);
		if (!fields[cursor->n_fields])
			return no_memory();
		cursor->n_fields++;
	}
	return WTR_OK;
}

static void needs(void *ctx, const struct wt_log_segment *segment, uint32_t kind, struct wt_log_need *ret)
{
	const struct wtr_cursor *cursor = ctx;

	ret->activities = true;
	for (size_t i = 0; i < cursor->n_fields; i++) {
		int field = wt_event_field(segment->kinds.kinds[kind].event, cursor->fields[i]);

		if (field >= 0)
			wt_log_need_field(ret, (uint32_t)field);
	}
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

/* ---- the segments, by time ---- */

static int by_time(const void *a, const void *b)
{
	const struct wtr_plan *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return (x->segment > y->segment) - (x->segment < y->segment);
}

static void plan_file(struct wtr_cursor *cursor, uint32_t f)
{
	const struct wt_log_reader *log = cursor->trace->files[f].log;
	uint32_t n = wt_log_info(log)->n_segments;

	for (uint32_t i = 0; i < n; i++) {
		struct wt_log_span span = wt_log_segment_span(log, i);

		if (span.events && span.last_block >= cursor->behind && span.last_time >= cursor->start &&
		    (!cursor->to || span.first_time < cursor->to))
			cursor->plan[cursor->n_plan++] = (struct wtr_plan){
				.time = span.first_time, .file = f, .segment = i};
	}
}

static int plan(struct wtr_cursor *cursor, uint64_t start)
{
	const struct wtr_trace *trace = cursor->trace;
	size_t n = 1;

	leave(cursor);
	cursor->start = start > cursor->from ? start : cursor->from;
	for (uint32_t f = 0; f < trace->n_files; f++)
		n += wt_log_info(trace->files[f].log)->n_segments;
	cursor->plan = malloc(n * sizeof(*cursor->plan));
	if (!cursor->plan)
		return wt_fail_nomem(wtr_err());
	for (uint32_t f = 0; f < trace->n_files; f++)
		plan_file(cursor, f);
	qsort(cursor->plan, cursor->n_plan, sizeof(*cursor->plan), by_time);
	cursor->begun = true;
	return 0;
}

static int grow(struct wtr_cursor *cursor)
{
	uint32_t cap = cursor->cap_streams ? cursor->cap_streams * 2 : 2;
	struct wtr_stream *streams = realloc(cursor->streams, cap * sizeof(*streams));
	uint32_t *spare = realloc(cursor->spare, cap * sizeof(*spare));

	cursor->streams = streams ? streams : cursor->streams;
	cursor->spare = spare ? spare : cursor->spare;
	if (!streams || !spare || wt_heads_grow(&cursor->heads, cap))
		return wt_fail_nomem(wtr_err());
	for (uint32_t slot = cap; slot-- > cursor->cap_streams;)
		spare[cap - 1 - slot] = slot;
	cursor->cap_streams = cap;
	return 0;
}

/* ---- streams ---- */

/* Finds the threads that belong to the selected pids. 1: there are none. */
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
		uint32_t pid = wt_process_of(tables, i)->pid;

		stream->pids[i] = has_number(cursor->pids, cursor->n_pids, pid);
		any |= stream->pids[i];
	}
	return !any;
}

static int read_on(struct wtr_stream *stream)
{
	int rc = wt_log_iter_next_run(stream->iter, &stream->batch, &stream->index, &stream->left, wtr_err());

	if (rc == 0)
		stream->time = stream->batch->time;
	return rc;
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
	struct wt_log_filter filter = {.from = cursor->start,
				       .to = cursor->to,
				       .first_segment = plan->segment,
				       .n_segments = 1,
				       .cpus = cursor->cpus,
				       .n_cpus = cursor->n_cpus,
				       .ctx = cursor,
				       .want = cursor->n_wishes ? wants_kind : NULL,
				       .need = cursor->some_fields ? needs : NULL,
				       .behind = cursor->behind,
				       .held = held_share(cursor->trace)};
	int rc;

	*ret = (struct wtr_stream){.part = wtr_part_get(file, plan->segment)};
	if (!ret->part)
		return -1;
	rc = choose_threads(cursor, ret);
	if (rc == 0)
		rc = wt_log_iter_create(file->log, &filter, &ret->iter, wtr_err());
	if (rc == 0)
		rc = read_on(ret);
	return rc;
}

static int open_next(struct wtr_cursor *cursor)
{
	uint32_t order = cursor->next_plan, slot;
	struct wtr_stream *stream;
	int rc;

	if (cursor->n_streams == cursor->cap_streams && grow(cursor))
		return -1;
	slot = cursor->spare[cursor->cap_streams - cursor->n_streams - 1];
	stream = &cursor->streams[slot];
	rc = stream_init(cursor, &cursor->plan[order], stream);
	if (rc)
		stream_deinit(stream);
	if (rc < 0)
		return -1;
	cursor->next_plan++;
	if (rc > 0)
		return 0;
	cursor->n_streams++;
	wt_heads_set(&cursor->heads, slot, wt_head_make(stream->time[stream->index], order, slot));
	return 0;
}

/* Moves the first stream past the event that was delivered last. */
static int advance(struct wtr_cursor *cursor)
{
	wt_head head = wt_heads_first(&cursor->heads);
	uint32_t slot = wt_head_slot(head);
	struct wtr_stream *stream = &cursor->streams[slot];
	int rc = 0;

	if (--stream->left)
		stream->index++;
	else
		rc = read_on(stream);
	if (rc < 0)
		return -1;
	if (rc > 0) {
		close_stream(cursor, slot);
		return 0;
	}
	head = wt_head_make(stream->time[stream->index], wt_head_order(head), slot);
	wt_heads_set(&cursor->heads, slot, head);
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

/* 0: the first head is the next event; 1: there is none; -1: failed. */
static int step(struct wtr_cursor *cursor)
{
	if (cursor->moved && advance(cursor))
		return -1;
	cursor->moved = false;
	while (cursor->next_plan < cursor->n_plan &&
	       (!cursor->n_streams ||
		cursor->plan[cursor->next_plan].time <= wt_head_time(wt_heads_first(&cursor->heads)))) {
		if (open_next(cursor))
			return -1;
	}
	cursor->moved = cursor->n_streams > 0;
	return cursor->n_streams ? 0 : 1;
}

/* The cursor stays failed until it seeks. */
static int failed(struct wtr_cursor *cursor)
{
	cursor->failed = wtr_err()->code;
	return wtr_failed();
}

/* The result at the end of the available events. 0: there is more. */
static int go_on(struct wtr_cursor *cursor)
{
	static const int results[] = {WTR_OK, WTR_AGAIN, WTR_END};
	uint64_t behind;
	int rc;

	if (!cursor->trace->grows)
		return WTR_END;
	leave(cursor);
	rc = wtr_refresh(cursor->trace, &behind);
	if (rc == 0 || rc == WTR_GAP) {
		cursor->behind = behind;
		if (plan(cursor, cursor->start))
			return failed(cursor);
	}
	/* Events that a session dropped are reported once. */
	if (rc == WTR_GAP || (rc < 0 && wtr_err()->code == WT_ERR_LIMIT))
		return wtr_failed();
	return rc < 0 ? failed(cursor) : results[rc];
}

int wtr_next(struct wtr_cursor *cursor, const struct wtr_event **ret)
{
	const struct wtr_stream *stream = NULL;

	if (cursor->failed) {
		wt_fail(wtr_err(), cursor->failed, "an earlier read failed: later events were not read");
		return wtr_failed();
	}
	if (!cursor->begun && plan(cursor, 0))
		return failed(cursor);
	while (!stream) {
		int rc = step(cursor);

		if (rc < 0)
			return failed(cursor);
		if (rc > 0) {
			rc = go_on(cursor);
			if (rc)
				return rc;
			continue;
		}
		stream = &cursor->streams[wt_head_slot(wt_heads_first(&cursor->heads))];
		if (!passes(cursor, stream))
			stream = NULL;
	}
	cursor->event.part = stream->part;
	cursor->event.batch = stream->batch;
	cursor->event.index = stream->index;
	cursor->event.time = wt_head_time(wt_heads_first(&cursor->heads));
	*ret = &cursor->event;
	return WTR_OK;
}

int wtr_seek(struct wtr_cursor *cursor, uint64_t time)
{
	cursor->behind = 0;
	cursor->failed = WT_OK;
	return plan(cursor, time) ? failed(cursor) : WTR_OK;
}
