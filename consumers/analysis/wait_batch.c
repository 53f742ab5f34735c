// SPDX-License-Identifier: MIT
#include "consumers/analysis/wait_batch.h"

#include <stdlib.h>
#include <string.h>

#include "consumers/analysis/wait_kind.h"
#include "consumers/analysis/wait_source.h"

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
static const struct name certainties[] = {{"exact", WT_WAIT_EXACT},
					  {"cut", WT_WAIT_CUT},
					  {"not known", WT_WAIT_NOT_KNOWN},
					  {"probable", WT_WAIT_PROBABLE}};
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

static const struct name sources[] = {{"none", WT_SOURCE_NONE},
				      {"timer", WT_SOURCE_TIMER},
				      {"disk", WT_SOURCE_DISK},
				      {"net", WT_SOURCE_NET},
				      {"other", WT_SOURCE_OTHER}};

static const struct name owners[] = {
	{"none", WT_OWNER_NONE}, {"hint", WT_OWNER_HINT}, {"word", WT_OWNER_WORD}};

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
	{"waker_source", sources, N(sources)},
	{"owner_is", owners, N(owners)},
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
	[WT_WAIT_OPEN] = {"open", WT_TYPE_U32, false, 0},
	[WT_WAIT_KIND] = {"kind", WT_TYPE_U8, false, 1},
	[WT_WAIT_READY_BY] = {"ready_by", WT_TYPE_U8, false, 2},
	[WT_WAIT_CERTAINTY] = {"certainty", WT_TYPE_U8, false, 3},
	[WT_WAIT_LEFT_AS] = {"left_as", WT_TYPE_U8, false, 4},
	[WT_WAIT_PRIORITY] = {"priority", WT_TYPE_U32, false, 0},
	[WT_WAIT_WAKER_TID] = {"waker_tid", WT_TYPE_U32, false, 0},
	[WT_WAIT_WAKER_CONTEXT] = {"waker_context", WT_TYPE_U8, false, 5},
	[WT_WAIT_WAKER_SOURCE] = {"waker_source", WT_TYPE_U8, false, 6},
	[WT_WAIT_LOCK] = {"lock", WT_TYPE_POINTER, false, 0},
	[WT_WAIT_OWNER] = {"owner", WT_TYPE_U32, false, 0},
	[WT_WAIT_OWNER_READ] = {"owner_read", WT_TYPE_U64, true, 0},
	[WT_WAIT_OWNER_IS] = {"owner_is", WT_TYPE_U8, false, 7},
	[WT_WAIT_WAKER] = {"waker", WT_TYPE_STRING, false, 0},
	[WT_WAIT_WAKER_PROCESS] = {"waker_process", WT_TYPE_STRING, false, 0},
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

/* Rows of one time stay in the order in which they came. */
static int by_segment_and_time(const void *x, const void *y)
{
	const struct wt_wait_order *a = x, *b = y;

	if (a->segment != b->segment)
		return a->segment < b->segment ? -1 : 1;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->row < b->row ? -1 : a->row > b->row;
}

/* An interrupt stopped a thread that has nothing to do with the wake. */
static void put_waker(const struct wt_wait_rows *rows, const struct wt_wait_row *row, bool process,
		      struct wt_buf *out)
{
	static const char *const others[] = {"", "", "[softirq]", "[interrupt]", "[nmi]", "[interrupt]"};
	const struct wt_log_segment *segment;
	struct wt_str name;

	if (row->waker_segment == WT_WAIT_NONE) {
		wt_buf_puts(out, row->waker_context < N(others) ? others[row->waker_context] : "");
		return;
	}
	segment = rows->segments[row->waker_segment].real;
	name = process ? wt_process_of(segment, row->waker_thread)->name
		       : segment->threads[row->waker_thread].name;
	wt_buf_put(out, name.p, name.len);
}

static uint64_t number_of_lock(const struct wt_wait_lock *lock, enum wt_wait_field f)
{
	return f == WT_WAIT_LOCK         ? lock->address
	       : f == WT_WAIT_OWNER      ? lock->owner
	       : f == WT_WAIT_OWNER_READ ? lock->read
					 : lock->owner_is;
}

static uint64_t number_of(const struct wt_wait_list *list, uint32_t at, enum wt_wait_field f)
{
	const struct wt_wait_row *row = &list->rows[at];

	switch (f) {
	case WT_WAIT_LIFE:
		return row->running + row->ready + row->blocked + row->unknown;
	case WT_WAIT_RUNNING:
		return row->running;
	case WT_WAIT_READY:
		return row->ready;
	case WT_WAIT_BLOCKED:
		return row->blocked;
	case WT_WAIT_UNKNOWN:
		return row->unknown;
	case WT_WAIT_WAITED:
		return row->ready + row->blocked + row->unknown;
	case WT_WAIT_WAITS:
		return row->waits;
	case WT_WAIT_OPEN:
		return row->open;
	case WT_WAIT_KIND:
		return row->kind;
	case WT_WAIT_READY_BY:
		return row->ready_by;
	case WT_WAIT_CERTAINTY:
		return row->certainty;
	case WT_WAIT_LEFT_AS:
		return row->left_as;
	case WT_WAIT_PRIORITY:
		return row->priority;
	case WT_WAIT_WAKER_TID:
		return row->waker_tid;
	case WT_WAIT_WAKER_SOURCE:
		return row->waker_source;
	case WT_WAIT_LOCK:
	case WT_WAIT_OWNER:
	case WT_WAIT_OWNER_READ:
	case WT_WAIT_OWNER_IS:
		return row->has_lock ? number_of_lock(&list->locks[at], f) : 0;
	default:
		return row->waker_context;
	}
}

static void fill_common(struct wt_wait_batch *batch, const struct wt_wait_row *rows,
			const struct wt_wait_order *order, uint32_t n)
{
	const struct wt_log_segment *segment = batch->rows->segments[order->segment].real;

	for (uint32_t i = 0; i < n; i++) {
		const struct wt_wait_row *row = &rows[order[i].row];

		batch->common.time[i] = row->time;
		batch->common.cpu[i] = row->cpu;
		batch->common.thread[i] = row->thread;
		batch->common.stack[i] = row->stack;
		batch->common.self[i] = wt_process_of(segment, row->thread)->self;
	}
}

static void fill_number(struct wt_wait_batch *batch, const struct wt_wait_list *list,
			const struct wt_wait_order *order, uint32_t n, enum wt_wait_field f)
{
	for (uint32_t i = 0; i < n; i++)
		batch->numbers[f][i] = number_of(list, order[i].row, f);
	batch->columns[f].values = batch->numbers[f];
}

static void fill_wakers(struct wt_wait_batch *batch, const struct wt_wait_row *rows,
			const struct wt_wait_order *order, uint32_t n, enum wt_wait_field f)
{
	struct wt_buf *text = &batch->texts[f - WT_WAIT_NUMBERS].bytes;
	uint32_t *offsets = batch->texts[f - WT_WAIT_NUMBERS].offsets;

	wt_buf_clear(text);
	for (uint32_t i = 0; i < n; i++) {
		offsets[i] = (uint32_t)text->len;
		put_waker(batch->rows, &rows[order[i].row], f == WT_WAIT_WAKER_PROCESS, text);
	}
	offsets[n] = (uint32_t)text->len;
	batch->columns[f].offsets = offsets;
	batch->columns[f].bytes = (const uint8_t *)wt_buf_cstr(text);
}

static void fill(struct wt_wait_batch *batch, const struct wt_wait_list *list,
		 const struct wt_wait_order *order, uint32_t n)
{
	const struct wt_log_need *need = &batch->need[order->segment];

	fill_common(batch, list->rows, order, n);
	for (uint32_t f = 0; f < WT_WAIT_FIELDS; f++)
		batch->columns[f] = (struct wt_log_column){.field = &batch->rows->fields[f]};
	for (uint32_t f = 0; f < WT_WAIT_NUMBERS; f++)
		if (wt_log_needs_field(need, f))
			fill_number(batch, list, order, n, (enum wt_wait_field)f);
	for (uint32_t f = WT_WAIT_NUMBERS; f < WT_WAIT_FIELDS; f++)
		if (wt_log_needs_field(need, f))
			fill_wakers(batch, list->rows, order, n, (enum wt_wait_field)f);
}

static int give(struct wt_wait_batch *batch, const struct wt_wait_list *list,
		const struct wt_wait_order *order, uint32_t n, struct wt_err *err)
{
	const struct wt_wait_segment *segment = &batch->rows->segments[order->segment];
	struct wt_log_batch given = wt_derived_batch(&batch->common, &segment->shadow, segment->real->kinds.n,
						     n, batch->columns);

	fill(batch, list, order, n);
	for (int t = 0; t < WT_WAIT_FIELDS - WT_WAIT_NUMBERS; t++)
		if (batch->texts[t].bytes.failed)
			return wt_fail_nomem(err);
	return batch->fn(batch->ctx, &given, err);
}

int wt_wait_batch_take(struct wt_wait_batch *batch, const struct wt_wait_list *list, struct wt_err *err)
{
	const struct wt_wait_row *rows = list->rows;
	int rc = 0;

	for (uint32_t i = 0; i < list->n; i++)
		batch->order[i] = (struct wt_wait_order){rows[i].time, rows[i].segment, i};
	if (list->n)
		qsort(batch->order, list->n, sizeof(*batch->order), by_segment_and_time);
	for (uint32_t from = 0, to; from < list->n && !rc; from = to) {
		for (to = from + 1; to < list->n; to++)
			if (batch->order[to].segment != batch->order[from].segment)
				break;
		rc = give(batch, list, batch->order + from, to - from, err);
	}
	return rc;
}

void wt_wait_batch_flush(struct wt_wait_batch *batch)
{
	struct wt_wait_list *full = &batch->lists[batch->turn];

	if (!full->n || batch->stopped)
		return;
	batch->stopped = wt_relay_give(batch->relay, full);
	batch->turn ^= 1;
	batch->lists[batch->turn].n = 0;
}

void wt_wait_batch_lock(struct wt_wait_batch *batch, const struct wt_wait_lock *lock, uint64_t origin)
{
	struct wt_wait_list *list = &batch->lists[batch->turn];
	struct wt_wait_lock *to = &list->locks[list->n];

	*to = *lock;
	to->read -= lock->owner && lock->read > origin ? origin : lock->read;
	list->rows[list->n].has_lock = true;
}

void wt_wait_batch_push(struct wt_wait_batch *batch)
{
	if (!batch->stopped && ++batch->lists[batch->turn].n == batch->most)
		wt_wait_batch_flush(batch);
}

int wt_wait_batch_init(struct wt_wait_batch *batch, uint32_t most, struct wt_err *err)
{
	size_t n = most;
	bool ok;

	batch->most = most;
	batch->order = malloc(n * sizeof(*batch->order));
	ok = batch->order;
	for (int i = 0; i < 2; i++) {
		batch->lists[i].rows = malloc(n * sizeof(*batch->lists[i].rows));
		batch->lists[i].locks = malloc(n * sizeof(*batch->lists[i].locks));
		ok = ok && batch->lists[i].rows && batch->lists[i].locks;
	}
	for (int f = 0; f < WT_WAIT_NUMBERS; f++) {
		batch->numbers[f] = malloc(n * sizeof(uint64_t));
		ok = ok && batch->numbers[f];
	}
	for (int t = 0; t < WT_WAIT_FIELDS - WT_WAIT_NUMBERS; t++) {
		batch->texts[t].offsets = malloc((n + 1) * sizeof(uint32_t));
		ok = ok && batch->texts[t].offsets;
	}
	return ok ? wt_derived_init(&batch->common, most, err) : wt_fail_nomem(err);
}

void wt_wait_batch_deinit(struct wt_wait_batch *batch)
{
	for (int i = 0; i < 2; i++) {
		free(batch->lists[i].rows);
		free(batch->lists[i].locks);
	}
	free(batch->order);
	wt_derived_deinit(&batch->common);
	for (int f = 0; f < WT_WAIT_NUMBERS; f++)
		free(batch->numbers[f]);
	for (int t = 0; t < WT_WAIT_FIELDS - WT_WAIT_NUMBERS; t++) {
		free(batch->texts[t].offsets);
		wt_buf_deinit(&batch->texts[t].bytes);
	}
}
