// SPDX-License-Identifier: MIT
#include "consumers/analysis/wait_batch.h"

#include <stdlib.h>
#include <string.h>

#include "consumers/analysis/wait_kind.h"

/* ---- the schema ---- */

struct name {
	const char *name;
	uint64_t value;
};

static const struct name kinds[] = {
	{"none", WT_KIND_OF_NO_WAIT}, {"lock", WT_KIND_LOCK},   {"timer", WT_KIND_TIMER},
	{"disk", WT_KIND_DISK},       {"net", WT_KIND_NET},     {"pipe", WT_KIND_PIPE},
	{"poll", WT_KIND_POLL},       {"child", WT_KIND_CHILD}, {"stop", WT_KIND_STOP},
	{"fault", WT_KIND_FAULT},     {"other", WT_KIND_OTHER}};
static const struct name readies[] = {
	{"none", WT_READY_BY_NONE},     {"woken", WT_READY_BY_WAKE}, {"preempted", WT_READY_BY_PREEMPTION},
	{"yielded", WT_READY_BY_YIELD}, {"new", WT_READY_BY_START},  {"signal", WT_READY_BY_SIGNAL},
	{"before", WT_READY_BEFORE}};
static const struct name certainties[] = {
	{"exact", WT_WAIT_EXACT}, {"cut", WT_WAIT_CUT}, {"not known", WT_WAIT_NOT_KNOWN}};
static const struct name states[] = {{"runnable", WT_STATE_RUNNABLE},
				     {"sleeping", WT_STATE_SLEEPING},
				     {"uninterruptible", WT_STATE_UNINTERRUPTIBLE},
				     {"stopped", WT_STATE_STOPPED},
				     {"traced", WT_STATE_TRACED},
				     {"dead", WT_STATE_DEAD},
				     {"zombie", WT_STATE_ZOMBIE},
				     {"parked", WT_STATE_PARKED},
				     {"idle", WT_STATE_IDLE},
				     {"not known", WT_STATE_NOT_KNOWN}};
/* The context, and 1; 0: no wake. */
static const struct name contexts[] = {{"none", 0},
				       {"thread", WT_WAKER_THREAD + 1},
				       {"softirq", WT_WAKER_SOFTIRQ + 1},
				       {"interrupt", WT_WAKER_INTERRUPT + 1},
				       {"nmi", WT_WAKER_NMI + 1},
				       {"idle", WT_WAKER_IDLE + 1}};

#define N(list) (sizeof(list) / sizeof((list)[0]))

static const struct {
	const char *name;
	const struct name *names;
	size_t n;
} maps[WT_WAIT_MAPS] = {
	{"kind", kinds, N(kinds)},
	{"ready_by", readies, N(readies)},
	{"certainty", certainties, N(certainties)},
	{"left_as", states, N(states)},
	{"waker_context", contexts, N(contexts)},
};

static const struct {
	const char *name;
	enum wt_type type;
	bool ns;
	int map; /* and 1 */
} fields[WT_WAIT_FIELDS] = {
	[WT_WAIT_LIFE] = {"life", WT_TYPE_U64, true, 0},
	[WT_WAIT_RUNNING] = {"running", WT_TYPE_U64, true, 0},
	[WT_WAIT_READY] = {"ready", WT_TYPE_U64, true, 0},
	[WT_WAIT_BLOCKED] = {"blocked", WT_TYPE_U64, true, 0},
	[WT_WAIT_UNKNOWN] = {"unknown", WT_TYPE_U64, true, 0},
	[WT_WAIT_WAITED] = {"waited", WT_TYPE_U64, true, 0},
	[WT_WAIT_WAITS] = {"waits", WT_TYPE_U32, false, 0},
	[WT_WAIT_KIND] = {"kind", WT_TYPE_U8, false, 1},
	[WT_WAIT_READY_BY] = {"ready_by", WT_TYPE_U8, false, 2},
	[WT_WAIT_CERTAINTY] = {"certainty", WT_TYPE_U8, false, 3},
	[WT_WAIT_LEFT_AS] = {"left_as", WT_TYPE_U8, false, 4},
	[WT_WAIT_WAKER_TID] = {"waker_tid", WT_TYPE_U32, false, 0},
	[WT_WAIT_WAKER_CONTEXT] = {"waker_context", WT_TYPE_U8, false, 5},
	[WT_WAIT_WAKER] = {"waker", WT_TYPE_STRING, false, 0},
};

/* Texts of the schema are constants, which nobody changes. */
static char *constant(const char *text)
{
	return (char *)(uintptr_t)text;
}

static int make_map(struct wt_valmap *map, int m)
{
	*map = (struct wt_valmap){.name = constant(maps[m].name)};
	map->entries = calloc(maps[m].n, sizeof(*map->entries));
	if (!map->entries)
		return -1;
	map->n_entries = (uint32_t)maps[m].n;
	for (uint32_t i = 0; i < map->n_entries; i++)
		map->entries[i] = (struct wt_named){.name = constant(maps[m].names[i].name),
						    .value = maps[m].names[i].value};
	return 0;
}

int wt_wait_schema(struct wt_wait_rows *rows, struct wt_err *err)
{
	rows->fields = calloc(WT_WAIT_FIELDS, sizeof(*rows->fields));
	if (!rows->fields)
		return wt_fail_nomem(err);
	for (int m = 0; m < WT_WAIT_MAPS; m++)
		if (make_map(&rows->maps[m], m))
			return wt_fail_nomem(err);
	for (int f = 0; f < WT_WAIT_FIELDS; f++)
		rows->fields[f] = (struct wt_field){
			.name = constant(fields[f].name),
			.type = fields[f].type,
			.count = 1,
			.unit = fields[f].ns ? constant("ns") : NULL,
			.map = fields[f].map ? &rows->maps[fields[f].map - 1] : NULL,
		};
	rows->event = (struct wt_event_desc){.name = constant("wait"),
					     .id = UINT16_MAX,
					     .level = WT_LEVEL_INFO,
					     .fields = rows->fields,
					     .n_fields = WT_WAIT_FIELDS};
	return 0;
}

/* ---- batches ---- */

static int by_segment_and_time(const void *x, const void *y)
{
	const struct wt_wait_row *a = x, *b = y;

	if (a->segment != b->segment)
		return a->segment < b->segment ? -1 : 1;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

/* An interrupt stopped a thread that has nothing to do with the wake. */
static void put_waker(const struct wt_wait_rows *rows, const struct wt_wait_row *row, struct wt_buf *out)
{
	static const char *const others[] = {"", "", "[softirq]", "[interrupt]", "[nmi]", "[interrupt]"};
	uint64_t context = row->numbers[WT_WAIT_WAKER_CONTEXT];
	const struct wt_log_segment *segment;

	if (row->waker_segment == WT_WAIT_NONE) {
		wt_buf_puts(out, context < N(others) ? others[context] : "");
		return;
	}
	segment = rows->segments[row->waker_segment].real;
	wt_buf_put(out, segment->threads[row->waker_thread].name.p,
		   segment->threads[row->waker_thread].name.len);
}

static void fill(struct wt_wait_batch *batch, const struct wt_wait_row *list, uint32_t n)
{
	const struct wt_log_segment *segment = batch->rows->segments[list->segment].real;

	wt_buf_clear(&batch->text);
	for (uint32_t i = 0; i < n; i++) {
		batch->time[i] = list[i].time;
		batch->cpu[i] = list[i].cpu;
		batch->thread[i] = list[i].thread;
		batch->stack[i] = list[i].stack;
		batch->self[i] = wt_process_of(segment, list[i].thread)->self;
		for (int f = 0; f < WT_WAIT_NUMBERS; f++)
			batch->numbers[f][i] = list[i].numbers[f];
		batch->offsets[i] = (uint32_t)batch->text.len;
		put_waker(batch->rows, &list[i], &batch->text);
	}
	batch->offsets[n] = (uint32_t)batch->text.len;
	for (int f = 0; f < WT_WAIT_NUMBERS; f++)
		batch->columns[f] = (struct wt_log_column){.field = &batch->rows->fields[f],
							   .values = batch->numbers[f]};
	batch->columns[WT_WAIT_WAKER] = (struct wt_log_column){
		.field = &batch->rows->fields[WT_WAIT_WAKER],
		.offsets = batch->offsets,
		.bytes = (const uint8_t *)wt_buf_cstr(&batch->text)};
}

static int give(struct wt_wait_batch *batch, const struct wt_wait_row *list, uint32_t n, struct wt_err *err)
{
	const struct wt_wait_segment *segment = &batch->rows->segments[list->segment];
	struct wt_log_batch given = {
		.segment = &segment->shadow,
		.kind = segment->real->kinds.n,
		.n = n,
		.time = batch->time,
		.cpu = batch->cpu,
		.thread = batch->thread,
		.stack = batch->stack,
		.self = batch->self,
		.claimed = batch->claimed,
		.columns = batch->columns,
	};
	int rc;

	fill(batch, list, n);
	if (batch->text.failed)
		return wt_fail_nomem(err);
	rc = batch->fn(batch->ctx, &given, err);
	batch->stopped |= rc > 0;
	return rc < 0 ? -1 : 0;
}

int wt_wait_batch_flush(struct wt_wait_batch *batch, struct wt_err *err)
{
	int failed = 0;

	if (batch->n)
		qsort(batch->list, batch->n, sizeof(*batch->list), by_segment_and_time);
	for (uint32_t from = 0, to; from < batch->n && !failed && !batch->stopped; from = to) {
		for (to = from + 1; to < batch->n; to++)
			if (batch->list[to].segment != batch->list[from].segment)
				break;
		failed = give(batch, batch->list + from, to - from, err);
	}
	batch->n = 0;
	return failed;
}

int wt_wait_batch_push(struct wt_wait_batch *batch, const struct wt_wait_row *row, struct wt_err *err)
{
	batch->list[batch->n] = *row;
	batch->list[batch->n].order = batch->n_given++;
	return ++batch->n == batch->most ? wt_wait_batch_flush(batch, err) : 0;
}

int wt_wait_batch_init(struct wt_wait_batch *batch, uint32_t most, struct wt_err *err)
{
	size_t n = most;
	bool ok;

	batch->most = most;
	batch->list = malloc(n * sizeof(*batch->list));
	batch->time = malloc(n * sizeof(*batch->time));
	batch->cpu = malloc(n * sizeof(*batch->cpu));
	batch->thread = malloc(n * sizeof(*batch->thread));
	batch->stack = malloc(n * sizeof(*batch->stack));
	batch->offsets = malloc((n + 1) * sizeof(*batch->offsets));
	batch->self = malloc(n);
	batch->claimed = calloc(1, n);
	ok = batch->list && batch->time && batch->cpu && batch->thread && batch->stack && batch->offsets &&
	     batch->self && batch->claimed;
	for (int f = 0; f < WT_WAIT_NUMBERS; f++) {
		batch->numbers[f] = malloc(n * sizeof(uint64_t));
		ok = ok && batch->numbers[f];
	}
	return ok ? 0 : wt_fail_nomem(err);
}

void wt_wait_batch_deinit(struct wt_wait_batch *batch)
{
	free(batch->list);
	free(batch->time);
	free(batch->cpu);
	free(batch->thread);
	free(batch->stack);
	free(batch->offsets);
	free(batch->self);
	free(batch->claimed);
	for (int f = 0; f < WT_WAIT_NUMBERS; f++)
		free(batch->numbers[f]);
	wt_buf_deinit(&batch->text);
}
