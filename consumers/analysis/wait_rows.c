// SPDX-License-Identifier: MIT
#include "consumers/analysis/wait_rows.h"

#include <stdlib.h>
#include <string.h>

#include "consumers/analysis/in_order.h"
#include "consumers/analysis/wait_batch.h"
#include "consumers/analysis/wait_kind.h"
#include "consumers/analysis/wait_source.h"
#include "tracecore/base/bound.h"
#include "tracecore/base/grow.h"

enum { BATCH_ROWS = 4096 };

/* What an event is to a thread, in the order in which events of one time are taken: a wake comes before the
 * switch that it may have met. */
enum role { NOTHING, TOLD, START, NEW, WAKE, EXEC, LEAVE, SWITCH, SWITCH_IN, ENTER, STOP, FOUND };

/* An event, until all of its time are there. */
struct waiting {
	enum role role;
	uint32_t cpu, tid, segment, thread, stack;
	uint32_t new_tid; /* of a switch; tid is the old one. Of a thread found: who has its lock */
	union {
		struct {
			uint32_t new_priority, old_priority;
		};
		uint64_t lock; /* of a thread found: its address */
	};
	uint8_t state, kind;
	uint8_t context; /* of a wake; of a thread found: what says who has its lock */
	bool preempted;
};

struct scan {
	struct wt_wait_rows *rows;
	struct wt_wait_machine machine;
	struct wt_wait_batch batch;
	uint32_t last; /* segment */
	uint64_t time; /* of the waiting events */
	struct waiting *waiting;
	uint32_t n_waiting, waiting_cap;
	struct wt_log_need *needs; /* by segment; owned */
	bool priorities;           /* of some are asked for */
};

/* ---- segments ---- */

static enum role role_of(const struct wt_kind *kind)
{
	const char *provider = kind->provider->name;
	uint16_t id = kind->event->id;

	if (!strcmp(provider, "cswitch"))
		return id == WT_CSWITCH           ? SWITCH
		       : id == WT_CSWITCH_IN      ? SWITCH_IN
		       : id == WT_CSWITCH_WAITING ? FOUND
		       : id == WT_CSWITCH_ENTER   ? ENTER
		       : id == WT_CSWITCH_LEAVE   ? LEAVE
						  : NOTHING;
	if (!strcmp(provider, "dispatcher"))
		return id == WT_READY ? WAKE : id == WT_READY_NEW ? NEW : NOTHING;
	if (strcmp(provider, "proc_thread") != 0)
		return NOTHING;
	switch (id) {
	case WT_PROC_START:
	case WT_THREAD_START:
		return START;
	case WT_PROC_STOP:
	case WT_THREAD_STOP:
		return STOP;
	case WT_PROC_RUNDOWN:
	case WT_THREAD_RUNDOWN:
		return TOLD;
	case WT_PROC_EXEC:
		return EXEC;
	default:
		return NOTHING;
	}
}

static struct wt_wait_columns columns_of(const struct wt_event_desc *event, enum role role)
{
	bool change = role == SWITCH || role == SWITCH_IN, wake = role == WAKE || role == NEW;

	return (struct wt_wait_columns){
		.tid = wt_event_field(event, change ? "old_tid"
					     : wake ? "ready_tid"
						    : "tid"),
		.other = wt_event_field(event, "new_tid"),
		.state = wt_event_field(event, wake            ? "context"
					       : role == FOUND ? "state"
							       : "old_state"),
		.function = role == FOUND ? wt_event_field(event, "function") : -1,
		.preempted = wt_event_field(event, "preempted"),
		.lock = role == FOUND ? wt_event_field(event, "lock") : -1,
		.owner = role == FOUND ? wt_event_field(event, "owner") : -1,
		.owner_is = role == FOUND ? wt_event_field(event, "owner_is") : -1,
		.new_priority = role == SWITCH ? wt_event_field(event, "new_priority") : -1,
		.old_priority = role == SWITCH ? wt_event_field(event, "old_priority") : -1,
	};
}

static int by_tid_and_start(const void *x, const void *y)
{
	const struct wt_wait_task *a = x, *b = y;

	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->row > b->row) - (a->row < b->row);
}

static int read_segment(struct wt_wait_segment *segment)
{
	const struct wt_log_segment *real = segment->real;
	struct wt_kind *kinds = calloc(real->kinds.n + (size_t)1, sizeof(*kinds));

	segment->tasks = calloc(real->n_threads + (size_t)1, sizeof(*segment->tasks));
	segment->roles = calloc(real->kinds.n + (size_t)1, 1);
	segment->columns = calloc(real->kinds.n + (size_t)1, sizeof(*segment->columns));
	segment->kinds = calloc(real->n_stacks + (size_t)1, 1);
	segment->sources = calloc(real->n_stacks + (size_t)1, 1);
	if (!kinds || !segment->tasks || !segment->roles || !segment->columns || !segment->kinds ||
	    !segment->sources) {
		free(kinds);
		return -1;
	}
	segment->shadow = *real;
	segment->shadow.kinds.kinds = kinds;
	segment->shadow.kinds.n = real->kinds.n + 1;
	for (uint32_t k = 0; k < real->kinds.n; k++) {
		kinds[k] = real->kinds.kinds[k];
		segment->roles[k] = (uint8_t)role_of(&kinds[k]);
		segment->columns[k] = columns_of(kinds[k].event, (enum role)segment->roles[k]);
	}
	for (uint32_t t = 0; t < real->n_threads; t++)
		segment->tasks[t] = (struct wt_wait_task){real->threads[t].tid, t,
							  real->threads[t].start_time};
	qsort(segment->tasks, real->n_threads, sizeof(*segment->tasks), by_tid_and_start);
	return 0;
}

/* The row of the thread that had the number then; the last name of it. */
static uint32_t row_of(const struct wt_wait_segment *segment, uint32_t tid, uint64_t time)
{
	uint32_t n = segment->real->n_threads;
	uint32_t end = WT_BOUND(i, 0, n,
				segment->tasks[i].tid < tid ||
					(segment->tasks[i].tid == tid && segment->tasks[i].start <= time));

	if (end && segment->tasks[end - 1].tid == tid)
		return segment->tasks[end - 1].row;
	return end < n && segment->tasks[end].tid == tid ? segment->tasks[end].row : 0;
}

static uint32_t find_segment(struct scan *scan, const struct wt_log_segment *real)
{
	const struct wt_wait_rows *rows = scan->rows;

	if (rows->segments[scan->last].real != real)
		for (scan->last = 0; rows->segments[scan->last].real != real;)
			scan->last++;
	return scan->last;
}

/* ---- turns become rows ---- */

static bool is_stopped(uint8_t state)
{
	return state == WT_STATE_STOPPED || state == WT_STATE_TRACED;
}

static enum wt_wait_kind kind_of(struct wt_wait_segment *segment, uint32_t stack, uint8_t state)
{
	if (is_stopped(state) || !stack || stack > segment->real->n_stacks)
		return wt_wait_kind(segment->real, stack, state);
	if (!segment->kinds[stack])
		segment->kinds[stack] = (uint8_t)(wt_wait_kind(segment->real, stack, state) + 1);
	return (enum wt_wait_kind)(segment->kinds[stack] - 1);
}

/* The segment of the stack, if there is one, then that of the event that ended the turn. A thread whose turn
 * no event of its own bounds is looked up by its number. */
static void place(struct scan *scan, const struct wt_wait_turn *turn, struct wt_wait_row *row)
{
	bool own = turn->segment != WT_WAIT_NONE;

	row->segment = turn->stack_segment != WT_WAIT_NONE && turn->stack ? turn->stack_segment
		       : own                                              ? turn->segment
		       : turn->stack_segment != WT_WAIT_NONE              ? turn->stack_segment
									  : scan->last;
	row->stack = row->segment == turn->stack_segment ? turn->stack : 0;
	row->thread = own && row->segment == turn->segment
			      ? turn->thread
			      : row_of(&scan->rows->segments[row->segment], turn->tid, turn->to);
}

/* The recorder's threads are in the log like all others. */
static void count_shadow(struct wt_wait_rows *rows, const struct wt_wait_row *row)
{
	if (!wt_process_of(rows->segments[row->segment].real, row->thread)->self)
		return;
	rows->shadow.turns++;
	rows->shadow.running += row->running;
}

static int take_turn(void *ctx, const struct wt_wait_turn *turn, struct wt_err *err)
{
	struct scan *scan = ctx;
	bool thread = turn->waker.segment != WT_WAIT_NONE && turn->waker.context == WT_WAKER_THREAD;
	struct wt_wait_row *row = wt_wait_batch_next(&scan->batch);

	(void)err;
	*row = (struct wt_wait_row){.time = turn->from > scan->rows->from ? turn->from : scan->rows->from,
				    .running = turn->running,
				    .ready = turn->ready,
				    .blocked = turn->blocked,
				    .unknown = turn->unknown,
				    .cpu = turn->cpu == WT_WAIT_NONE ? WT_CPU_NONE : turn->cpu,
				    .waker_segment = WT_WAIT_NONE,
				    .waker_tid = UINT32_MAX,
				    .priority = turn->priority,
				    .waits = turn->waits,
				    .open = turn->open,
				    .ready_by = turn->ready_by,
				    .certainty = turn->certainty,
				    .left_as = turn->state};

	if (turn->lock)
		wt_wait_batch_lock(&scan->batch, turn->lock, scan->rows->file->origin);
	place(scan, turn, row);
	count_shadow(scan->rows, row);
	if (turn->waits || turn->blocked)
		row->kind = turn->kind && !is_stopped(turn->state)
				    ? turn->kind
				    : (uint8_t)kind_of(&scan->rows->segments[row->segment], row->stack,
						       turn->state);
	if (turn->waker.segment != WT_WAIT_NONE)
		row->waker_context = (uint8_t)(turn->waker.context + 1);
	row->waker_source = turn->waker.source;
	if (thread) {
		row->waker_segment = turn->waker.segment;
		row->waker_thread = turn->waker.thread;
		row->waker_tid =
			scan->rows->segments[row->waker_segment].real->threads[row->waker_thread].tid;
	}
	wt_wait_batch_push(&scan->batch);
	return 0;
}

static bool missing(void *ctx, enum wt_wait_what what, uint32_t cpu, uint64_t from, uint64_t to)
{
	const struct scan *scan = ctx;

	return wt_wait_losses_touch(&scan->rows->losses, what, cpu, from, to);
}

/* ---- events of one time ---- */

/* Of one time, by what they say, not by their place in the file. */
static int by_meaning(const void *x, const void *y)
{
	const struct waiting *a = x, *b = y;

	if (a->role != b->role)
		return a->role < b->role ? -1 : 1;
	if (a->cpu != b->cpu)
		return a->cpu < b->cpu ? -1 : 1;
	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return (a->new_tid > b->new_tid) - (a->new_tid < b->new_tid);
}

/* A thread leaves one CPU before it gets another. */
static void put_leaving_first(struct scan *scan)
{
	for (uint32_t i = 0; i < scan->n_waiting; i++)
		for (uint32_t j = i + 1; j < scan->n_waiting; j++) {
			struct waiting *a = &scan->waiting[i], *b = &scan->waiting[j], other = *a;

			if (a->role != SWITCH || b->role != SWITCH || a->cpu == b->cpu || !a->new_tid ||
			    a->new_tid != b->tid || b->new_tid == a->tid)
				continue;
			*a = *b;
			*b = other;
		}
}

static struct wt_wait_waker waker_of(struct scan *scan, const struct waiting *event)
{
	struct wt_wait_segment *segment = &scan->rows->segments[event->segment];
	struct wt_wait_waker waker = {event->segment, event->thread, event->context, WT_SOURCE_NONE};
	uint8_t *known;

	if (!event->stack || event->stack > segment->real->n_stacks)
		return waker;
	known = &segment->sources[event->stack];
	if (!*known) {
		struct wt_wait_source_found found = wt_wait_source(segment->real, event->stack);

		*known = (uint8_t)(2 * found.source + found.sent + 1);
	}
	waker.source = (uint8_t)((*known - 1) / 2);
	if (waker.context == WT_WAKER_SOFTIRQ && (*known - 1) % 2)
		waker.context = WT_WAKER_THREAD;
	return waker;
}

static struct wt_wait_found found_of(const struct scan *scan, const struct waiting *event)
{
	return (struct wt_wait_found){.time = scan->time,
				      .tid = event->tid,
				      .state = event->state,
				      .kind = event->kind,
				      .segment = event->segment,
				      .thread = event->thread,
				      .stack = event->stack,
				      .lock = {event->lock, scan->time, event->new_tid, event->context}};
}

static int apply(struct scan *scan, const struct waiting *event, struct wt_err *err)
{
	struct wt_wait_machine *machine = &scan->machine;
	struct wt_wait_found found;
	struct wt_wait_switch change;
	struct wt_wait_waker waker;

	switch (event->role) {
	case TOLD:
		return wt_wait_told(machine, event->tid, err);
	case START:
		return wt_wait_start(machine, scan->time, event->tid, err);
	case STOP:
		return wt_wait_stop(machine, scan->time, event->tid, err);
	case EXEC:
		return wt_wait_exec(machine, scan->time, event->cpu, event->tid, err);
	case FOUND:
		found = found_of(scan, event);
		return wt_wait_found(machine, &found, err);
	case NEW:
	case WAKE:
		waker = waker_of(scan, event);
		return wt_wait_wake(machine, scan->time, event->tid, &waker, event->role == NEW, err);
	default:
		break;
	}
	change = (struct wt_wait_switch){
		.time = scan->time,
		.cpu = event->cpu,
		.new_tid = event->new_tid,
		.old_tid = event->tid,
		.record = event->role == SWITCH_IN,
		.alone = event->role == ENTER || event->role == LEAVE,
		.state = event->state,
		.preempted = event->preempted,
		.new_priority = event->new_priority,
		.old_priority = event->old_priority,
		.yields = event->state == WT_STATE_RUNNABLE &&
			  wt_wait_yields(scan->rows->segments[event->segment].real, event->stack),
		.segment = event->segment,
		.thread = event->thread,
		.stack = event->stack,
	};
	return wt_wait_switch(machine, &change, err);
}

static int apply_waiting(struct scan *scan, struct wt_err *err)
{
	if (scan->n_waiting > 1) {
		qsort(scan->waiting, scan->n_waiting, sizeof(*scan->waiting), by_meaning);
		put_leaving_first(scan);
	}
	for (uint32_t i = 0; i < scan->n_waiting; i++)
		if (apply(scan, &scan->waiting[i], err))
			return -1;
	scan->n_waiting = 0;
	return 0;
}

/* ---- events ---- */

/* 0 for a field that this log's event does not have. */
static uint64_t number(const struct wt_log_batch *batch, uint32_t i, int field)
{
	return field >= 0 && batch->columns[field].values ? batch->columns[field].values[i] : 0;
}

/* That of a thread with a deadline is -1: it has none. */
static uint32_t priority_of(const struct wt_log_batch *batch, uint32_t i, int field)
{
	bool is_there = field >= 0 && batch->columns[field].values;

	return is_there ? (uint32_t)batch->columns[field].values[i] : WT_WAIT_NONE;
}

/* The kernel's half of such a stack is one function. */
static uint8_t kind_of_function(const struct wt_log_batch *batch, uint32_t i, int field)
{
	const struct wt_log_column *column = field >= 0 ? &batch->columns[field] : NULL;

	if (!column || !column->offsets)
		return WT_KIND_OF_NO_WAIT;
	return (uint8_t)wt_wait_kind_of_name((const char *)column->bytes + column->offsets[i],
					     column->offsets[i + 1] - column->offsets[i]);
}

static void read_event(const struct wt_wait_segment *segment, const struct wt_log_batch *batch, uint32_t i,
		       struct waiting *to)
{
	const struct wt_wait_columns *columns = &segment->columns[batch->kind];

	to->tid = (uint32_t)number(batch, i, columns->tid);
	if (to->role == WAKE || to->role == NEW) {
		to->context = (uint8_t)number(batch, i, columns->state);
	} else if (to->role == SWITCH || to->role == SWITCH_IN) {
		to->new_tid = (uint32_t)number(batch, i, columns->other);
		to->state = (uint8_t)number(batch, i, columns->state);
		to->preempted = number(batch, i, columns->preempted);
		to->new_priority = priority_of(batch, i, columns->new_priority);
		to->old_priority = priority_of(batch, i, columns->old_priority);
	} else if (to->role == ENTER) {
		to->new_tid = to->tid;
		to->tid = WT_WAIT_NONE;
	} else if (to->role == LEAVE) {
		to->new_tid = WT_WAIT_NONE;
		to->state = WT_STATE_NOT_KNOWN;
		to->preempted = number(batch, i, columns->preempted);
	} else if (to->role == FOUND) {
		to->state = (uint8_t)number(batch, i, columns->state);
		to->kind = kind_of_function(batch, i, columns->function);
		to->lock = number(batch, i, columns->lock);
		to->new_tid = (uint32_t)number(batch, i, columns->owner);
		to->context = (uint8_t)number(batch, i, columns->owner_is);
	}
}

static void note_span(struct scan *scan, enum role role, uint64_t time)
{
	if (role < NEW || role == EXEC || role == STOP)
		return;
	scan->rows->first = scan->rows->first ? scan->rows->first : time;
	scan->rows->last = time;
}

static int take_event(void *ctx, const struct wt_log_batch *batch, uint32_t i, struct wt_err *err)
{
	struct scan *scan = ctx;
	uint32_t s = find_segment(scan, batch->segment);
	struct waiting event = {.role = (enum role)scan->rows->segments[s].roles[batch->kind],
				.cpu = batch->cpu[i],
				.segment = s,
				.thread = batch->thread[i],
				.stack = batch->stack[i]};

	if (scan->n_waiting && scan->time != batch->time[i] && apply_waiting(scan, err))
		return -1;
	read_event(&scan->rows->segments[s], batch, i, &event);
	note_span(scan, event.role, batch->time[i]);
	if (wt_grow(&scan->waiting, &scan->waiting_cap, scan->n_waiting, 1, err))
		return -1;
	scan->time = batch->time[i];
	scan->waiting[scan->n_waiting++] = event;
	return scan->batch.stopped;
}

static bool want(void *ctx, const struct wt_log_segment *segment, uint32_t kind)
{
	struct scan *scan = ctx;

	return scan->rows->segments[find_segment(scan, segment)].roles[kind] != NOTHING;
}

/* Priorities are read only when they are asked for. */
static void need_own(void *ctx, const struct wt_log_segment *segment, uint32_t kind, struct wt_log_need *ret)
{
	struct scan *scan = ctx;
	const struct wt_wait_columns *columns =
		&scan->rows->segments[find_segment(scan, segment)].columns[kind];
	const int fields[] = {columns->tid,      columns->other, columns->state, columns->preempted,
			      columns->function, columns->lock,  columns->owner, columns->owner_is};

	for (size_t f = 0; f < sizeof(fields) / sizeof(fields[0]); f++)
		if (fields[f] >= 0)
			wt_log_need_field(ret, (uint32_t)fields[f]);
	if (scan->priorities && columns->new_priority >= 0 && columns->old_priority >= 0) {
		wt_log_need_field(ret, (uint32_t)columns->new_priority);
		wt_log_need_field(ret, (uint32_t)columns->old_priority);
	}
}

static int take_events(struct scan *scan, struct wt_err *err)
{
	struct wt_log_filter filter = {
		.want = want, .need = need_own, .ctx = scan, .listener = scan->rows->listener};
	int rc = wt_in_order(scan->rows->file->log, &filter, take_event, scan, err);

	if (!rc && (apply_waiting(scan, err) || wt_wait_finish(&scan->machine, scan->rows->last, err)))
		rc = -1;
	if (!rc)
		wt_wait_batch_flush(&scan->batch);
	return rc < 0 ? -1 : 0;
}

/* ---- CPUs whose idle thread is not traced ---- */

static bool want_records(void *ctx, const struct wt_log_segment *segment, uint32_t kind)
{
	struct scan *scan = ctx;

	return scan->rows->segments[find_segment(scan, segment)].roles[kind] == SWITCH_IN;
}

/* The idle thread left the CPU, and its tracepoint did not say so. */
static int take_record(void *ctx, const struct wt_log_batch *batch, struct wt_err *err)
{
	struct scan *scan = ctx;
	int old = scan->rows->segments[find_segment(scan, batch->segment)].columns[batch->kind].tid;

	for (uint32_t i = 0; i < batch->n; i++)
		if (!number(batch, i, old) && wt_wait_blind(&scan->machine, batch->cpu[i], err))
			return -1;
	return 0;
}

static int find_blind(struct scan *scan, struct wt_err *err)
{
	struct wt_log_filter filter = {.want = want_records, .ctx = scan};

	if (wt_log_scan(scan->rows->file->log, &filter, take_record, scan, err) < 0)
		return -1;
	scan->rows->blind = wt_wait_n_blind(&scan->machine);
	return 0;
}

/* The fields of each segment's rows that are asked for. */
static int find_needs(struct scan *scan, struct wt_err *err)
{
	const struct wt_wait_rows *rows = scan->rows;

	scan->needs = calloc(rows->n_segments + (size_t)1, sizeof(*scan->needs));
	if (!scan->needs)
		return wt_fail_nomem(err);
	for (uint32_t s = 0; s < rows->n_segments; s++)
		if (rows->need)
			rows->need(rows->need_ctx, &rows->segments[s].shadow, rows->segments[s].real->kinds.n,
				   &scan->needs[s]);
		else
			memset(&scan->needs[s], 0xff, sizeof(scan->needs[s]));
	for (uint32_t s = 0; s < rows->n_segments; s++)
		scan->priorities |= scan->needs[s].fields[WT_WAIT_PRIORITY / 64] >> WT_WAIT_PRIORITY % 64 & 1;
	scan->batch.need = scan->needs;
	return 0;
}

static int make(void *ctx, struct wt_relay *relay, struct wt_err *err)
{
	struct scan *scan = ctx;

	scan->batch.relay = relay;
	return find_blind(scan, err) || take_events(scan, err) ? -1 : 0;
}

static int take_list(void *ctx, void *list, struct wt_err *err)
{
	return wt_wait_batch_take(&((struct scan *)ctx)->batch, list, err);
}

int wt_wait_rows_scan(struct wt_wait_rows *rows,
		      int (*fn)(void *ctx, const struct wt_log_batch *batch, struct wt_err *err), void *ctx,
		      struct wt_err *err)
{
	struct scan *scan = calloc(1, sizeof(*scan));
	const struct wt_relay_ends ends = {make, take_list, scan};
	int failed;

	if (!scan)
		return wt_fail_nomem(err);
	scan->rows = rows;
	rows->first = rows->last = 0;
	rows->shadow = (struct wt_wait_shadow){0};
	scan->machine = (struct wt_wait_machine){.from = rows->from,
						 .to = rows->to,
						 .only_told = rows->only_told,
						 .turn = take_turn,
						 .missing = missing,
						 .ctx = scan};
	scan->batch.rows = rows;
	scan->batch.fn = fn;
	scan->batch.ctx = ctx;
	failed = wt_wait_batch_init(&scan->batch, BATCH_ROWS, err) || find_needs(scan, err) ||
		 wt_relay_run(&ends, err);
	rows->counts = scan->machine.counts;
	wt_wait_deinit(&scan->machine);
	wt_wait_batch_deinit(&scan->batch);
	free(scan->needs);
	free(scan->waiting);
	free(scan);
	return failed ? -1 : 0;
}

/* ---- init ---- */

/* A session may have left out wakes by their level or keyword. */
static int look(void *ctx, const struct wt_log_batch *batch, struct wt_err *err)
{
	struct scan *scan = ctx;
	uint32_t s = find_segment(scan, batch->segment);

	(void)err;
	scan->rows->wakes |= batch->n && scan->rows->segments[s].roles[batch->kind] == WAKE;
	scan->rows->own |= batch->n && scan->rows->segments[s].roles[batch->kind] == LEAVE;
	return 0;
}

/* Finds the provider of switches in the segments; its events stand for the turns. */
static const struct wt_provider *find_provider(const struct wt_wait_rows *rows)
{
	for (uint32_t s = 0; s < rows->n_segments; s++)
		for (uint32_t k = 0; k < rows->segments[s].real->kinds.n; k++)
			if (rows->segments[s].roles[k] == SWITCH)
				return rows->segments[s].real->kinds.kinds[k].provider;
	return NULL;
}

static int read_all(struct wt_wait_rows *rows, struct wt_err *err)
{
	struct scan scan = {.rows = rows};

	if (rows->n_segments && wt_derived_read_all(rows->file->log, want, look, &scan, err))
		return -1;
	if (!rows->wakes)
		rows->losses.of[WT_WAIT_WAKES].anywhere = true;
	if (wt_wait_losses_read(&rows->losses, rows->file->log, err))
		return -1;
	rows->only_told = rows->losses.only_told;
	return 0;
}

int wt_wait_rows_init(struct wt_wait_rows *rows, struct wt_view_file *file, struct wt_err *err)
{
	const struct wt_provider *provider;

	*rows = (struct wt_wait_rows){.file = file};
	rows->segments = calloc(file->n_segments + (size_t)1, sizeof(*rows->segments));
	if (!rows->segments)
		return wt_fail_nomem(err);
	rows->n_segments = file->n_segments;
	for (uint32_t s = 0; s < rows->n_segments; s++) {
		rows->segments[s].real = file->segments[s].log;
		if (read_segment(&rows->segments[s]))
			return wt_fail_nomem(err);
	}
	provider = find_provider(rows);
	if (!provider)
		return wt_fail(
			err, WT_ERR_NOTFOUND,
			"the log has no context switches, so it does not tell who waited: record with -p "
			"cswitch,dispatcher");
	if (wt_wait_schema(rows, err) || read_all(rows, err))
		return -1;
	for (uint32_t s = 0; s < rows->n_segments; s++) {
		struct wt_kinds *kinds = &rows->segments[s].shadow.kinds;

		kinds->kinds[kinds->n - 1] = (struct wt_kind){provider, &rows->event};
		wt_view_segment_exchange(&file->segments[s], &rows->segments[s].shadow);
	}
	return 0;
}

void wt_wait_rows_deinit(struct wt_wait_rows *rows)
{
	for (uint32_t s = 0; s < rows->n_segments; s++) {
		free(rows->segments[s].shadow.kinds.kinds);
		free(rows->segments[s].tasks);
		free(rows->segments[s].roles);
		free(rows->segments[s].columns);
		free(rows->segments[s].kinds);
		free(rows->segments[s].sources);
	}
	for (int m = 0; m < WT_WAIT_MAPS; m++)
		free(rows->maps[m].entries);
	free(rows->segments);
	free(rows->fields);
	wt_wait_losses_deinit(&rows->losses);
	*rows = (struct wt_wait_rows){0};
}
