/* SPDX-License-Identifier: MIT */
#include "consumers/analysis/region_rows.h"

#include <stdlib.h>
#include <string.h>

#include "consumers/analysis/in_order.h"
#include "consumers/analysis/syscall_names.h"
#include "tracecore/base/grow.h"

enum { BATCH_ROWS = 4096 };

/* One side of a region, as kept with it: then the needed fields of its event, as put_values writes them. */
struct side {
	uint32_t segment, thread, stack, class, at; /* at: place of its shape in the class */
	uint8_t self, claimed;
};

/* An event of the same time as others, until all of them are there. */
struct waiting {
	struct wt_region_event event;
	bool begins, done;
	size_t key, activity, payload, payload_len; /* in bytes */
};

struct scan {
	struct wt_region_rows *rows;
	struct wt_pairing pairing;
	struct wt_log_need *needs;  /* by shape: fields to keep */
	struct wt_log_need *own;    /* by kind of region: fields to fill */
	uint32_t *class_names;      /* by class: of names */
	uint32_t makers[4];         /* names of calls that return in a new thread or process too */
	uint32_t sigreturn;         /* a name */
	uint32_t last;              /* segment */
	struct wt_intern processes; /* by pid and start time */

	struct waiting *waiting;
	uint32_t n_waiting, waiting_cap;
	struct wt_buf bytes; /* of waiting */

	struct wt_region_batch batch; /* the next one */
	const uint8_t *end_payload;   /* of the event that ends a region now */
	size_t end_len;
};

/* ---- regions become rows ---- */

static uint32_t row_kind(const struct scan *scan, const struct wt_region *region, const struct side *begin,
			 const struct side *end)
{
	const struct wt_region_class *class = &scan->rows->kinds.classes[region->class];

	switch (region->state) {
	case WT_REGION_UNBEGUN:
		return class->unbegun + end->at;
	case WT_REGION_UNFINISHED:
		return class->unfinished + begin->at;
	case WT_REGION_WHOLE:
		break;
	}
	/* An end that is loose may belong to another class than the region. */
	return class->crossed && end->class == region->class ? class->whole + begin->at * class->n_ends +
								       end->at
							     : class->bare + begin->at;
}

static void count(struct wt_region_counts *counts, const struct wt_region *region)
{
	counts->all++;
	counts->unfinished += region->state == WT_REGION_UNFINISHED;
	counts->unbegun += region->state == WT_REGION_UNBEGUN;
	counts->overlapping += region->overlapping;
	counts->doubtful += region->doubtful;
}

/* Its other end, or an end in between, may be among the events that were left out of the log. */
static bool is_cut_off(const struct scan *scan, const struct wt_region *region,
		       const struct wt_region_class *class)
{
	const char *provider = wt_strings_get(&scan->rows->kinds.groups, class->group, NULL);

	return wt_region_losses_is_part(&scan->rows->losses, provider) &&
	       (region->state != WT_REGION_WHOLE || class->owner == WT_OWNER_KEY);
}

static bool is_touched(const struct scan *scan, uint32_t class, uint64_t from, uint64_t to)
{
	const struct wt_region_kinds *kinds = &scan->rows->kinds;
	const struct wt_region_class *row = &kinds->classes[class];
	const char *provider = wt_strings_get(&kinds->groups, row->group, NULL);
	const char *other = row->n_ends ? kinds->shapes[row->ends[0]].provider->name : provider;

	return wt_region_losses_touch(&scan->rows->losses, provider, from, to) ||
	       (strcmp(other, provider) != 0 && wt_region_losses_touch(&scan->rows->losses, other, from, to));
}

/* Events that are missing from the time before a region may concern the region. Its end may belong to a
 * missing beginning of another thread, and the end of the region around it may be missing. */
static void judge_losses(const struct scan *scan, struct wt_region *region)
{
	const struct wt_region_class *class = &scan->rows->kinds.classes[region->class];
	bool from_start = region->state == WT_REGION_UNBEGUN || region->crossed;
	uint64_t from = from_start ? 0 : region->begin.time;
	uint64_t to = region->state == WT_REGION_UNFINISHED ? UINT64_MAX : region->end.time;

	region->doubtful = region->doubtful || is_cut_off(scan, region, class) ||
			   is_touched(scan, region->class, from, to);
	region->around_doubtful = region->around != WT_REGION_NONE &&
				  is_touched(scan, region->around_class, region->around_since,
					     region->begin.time);
}

static void fill_row(const struct wt_region *region, const struct side *of, const struct wt_region_side *side,
		     struct wt_region_row *row)
{
	bool whole = region->state == WT_REGION_WHOLE;

	row->segment = of->segment;
	row->thread = of->thread;
	row->stack = of->stack;
	row->self = of->self;
	row->claimed = of->claimed;
	row->cpu = side->cpu;
	row->time = side->time;
	if (region->activity)
		memcpy(row->activity, region->activity, WT_ACTIVITY_ID);
	row->own[WT_REGION_NAME] = region->name;
	row->own[WT_REGION_WITHIN] = region->around;
	row->own[WT_REGION_STATE] = wt_region_state_number(region);
	if (!whole)
		return;
	row->own[WT_REGION_DURATION] = region->end.time > region->begin.time
					       ? region->end.time - region->begin.time
					       : 0;
	row->own[WT_REGION_SELF] = region->self;
	row->own[WT_REGION_ENDED] = region->end.time;
	row->own[WT_REGION_END_CPU] = region->end.cpu;
	row->own[WT_REGION_END_TID] = region->end.tid;
}

static void fill_extent(const struct wt_region *region, struct wt_region_extent *extent)
{
	bool begun = region->state != WT_REGION_UNBEGUN, ended = region->state != WT_REGION_UNFINISHED;

	extent->from = begun ? region->begin.time : 0;
	extent->to = ended ? region->end.time : region->until;
	extent->thread = begun ? region->begin.thread : region->end.thread;
	if (begun && ended && region->begin.thread != region->end.thread)
		extent->thread = WT_REGION_NONE;
	extent->state = region->state;
	extent->doubtful = region->doubtful;
}

static int keep_values(struct scan *scan, const void *payload, size_t len, size_t *ret)
{
	*ret = scan->batch.values.len;
	if (payload)
		wt_buf_put(&scan->batch.values, (const uint8_t *)payload + sizeof(struct side),
			   len - sizeof(struct side));
	return scan->batch.values.failed ? -1 : 0;
}

static int take_region(void *ctx, const struct wt_region *given, struct wt_err *err)
{
	struct scan *scan = ctx;
	struct wt_region region = *given;
	bool begun = region.state != WT_REGION_UNBEGUN, ended = region.state != WT_REGION_UNFINISHED;
	const void *begin_payload = begun ? region.payload : NULL;
	const void *end_payload = ended ? scan->end_payload : NULL;
	struct wt_region_row *row;
	struct side begin = {0}, end = {0};
	uint64_t time = begun ? region.begin.time : region.end.time;

	if (time < scan->rows->from || (scan->rows->to && time >= scan->rows->to))
		return 0;
	judge_losses(scan, &region);
	count(&scan->rows->counts, &region);
	if (begin_payload)
		memcpy(&begin, begin_payload, sizeof(begin));
	if (end_payload)
		memcpy(&end, end_payload, sizeof(end));
	row = wt_region_batch_row(&scan->batch);
	row->kind = row_kind(scan, &region, &begin, &end);
	fill_row(&region, begun ? &begin : &end, begun ? &region.begin : &region.end, row);
	fill_extent(&region, &row->extent);
	if (keep_values(scan, begin_payload, region.payload_len, &row->begin) ||
	    keep_values(scan, end_payload, scan->end_len, &row->end))
		return wt_fail_nomem(err);
	return wt_region_batch_push(&scan->batch, err);
}

/* ---- events of one time ---- */

static void bind_bytes(const struct scan *scan, struct waiting *waiting)
{
	struct wt_region_event *event = &waiting->event;

	event->key = scan->bytes.data + waiting->key;
	if (event->activity)
		event->activity = scan->bytes.data + waiting->activity;
}

static int apply(struct scan *scan, struct waiting *waiting, struct wt_err *err)
{
	const uint8_t *payload = scan->bytes.data + waiting->payload;

	waiting->done = true;
	if (waiting->begins)
		return wt_pairing_begin(&scan->pairing, &waiting->event, payload, waiting->payload_len, err);
	scan->end_payload = payload;
	scan->end_len = waiting->payload_len;
	return wt_pairing_end(&scan->pairing, &waiting->event, err);
}

/* Each block of a log has one kind of events. If a beginning and an end of one thread have the same time,
 * it is therefore not known which came first. Ends that can close an earlier region come first, then the
 * beginnings, then ends of regions without length. If an end could belong to either of two regions, both
 * are in doubt. */
static bool may_be_one(const struct wt_region_event *begin, const struct wt_region_event *end)
{
	if (begin->class != end->class)
		return false;
	if (begin->owner != WT_OWNER_KEY)
		return begin->side.thread == end->side.thread;
	return begin->key_len == end->key_len && !memcmp(begin->key, end->key, end->key_len);
}

static void doubt_ends(struct scan *scan, struct waiting *end)
{
	for (uint32_t i = 0; i < scan->n_waiting; i++) {
		struct waiting *other = &scan->waiting[i];

		if (other->begins && may_be_one(&other->event, &end->event))
			other->event.doubtful = end->event.doubtful = true;
	}
}

static int apply_together(struct scan *scan, struct wt_err *err)
{
	for (uint32_t i = 0; i < scan->n_waiting; i++) {
		struct waiting *waiting = &scan->waiting[i];

		if (waiting->begins ||
		    !wt_pairing_closes(&scan->pairing, &waiting->event, waiting->event.side.time))
			continue;
		doubt_ends(scan, waiting);
		if (apply(scan, waiting, err))
			return -1;
	}
	for (int begins = 1; begins >= 0; begins--)
		for (uint32_t i = 0; i < scan->n_waiting; i++)
			if (!scan->waiting[i].done && scan->waiting[i].begins == begins &&
			    apply(scan, &scan->waiting[i], err))
				return -1;
	return 0;
}

static int apply_waiting(struct scan *scan, struct wt_err *err)
{
	int failed;

	if (scan->bytes.failed)
		return wt_fail_nomem(err);
	for (uint32_t i = 0; i < scan->n_waiting; i++)
		bind_bytes(scan, &scan->waiting[i]);
	failed = scan->n_waiting == 1 ? apply(scan, scan->waiting, err) : apply_together(scan, err);
	scan->n_waiting = 0;
	wt_buf_clear(&scan->bytes);
	return failed;
}

static struct waiting *new_waiting(struct scan *scan)
{
	if (wt_grow(&scan->waiting, &scan->waiting_cap, scan->n_waiting, 1, NULL))
		return NULL;
	scan->waiting[scan->n_waiting] = (struct waiting){0};
	return &scan->waiting[scan->n_waiting++];
}

/* ---- events ---- */

static uint32_t find_segment(struct scan *scan, const struct wt_log_segment *real)
{
	const struct wt_region_kinds *kinds = &scan->rows->kinds;

	if (kinds->segments[scan->last].real != real)
		for (scan->last = 0; kinds->segments[scan->last].real != real;)
			scan->last++;
	return scan->last;
}

static uint32_t name_text(struct scan *scan, const char *name, size_t len)
{
	bool fresh;

	return wt_strings_add(&scan->rows->names, name, len, &fresh);
}

/* "sys_read", or "syscall 999" where the number has no name. */
static uint32_t call_name(struct scan *scan, uint64_t number)
{
	char text[64];
	size_t len;
	const char *name = wt_syscall_name(scan->rows->losses.machine, number, &len);
	int n = name ? snprintf(text, sizeof(text), "sys_%.*s", (int)len, name)
		     : snprintf(text, sizeof(text), "syscall %lld", (long long)number);

	return name_text(scan, text, (size_t)n);
}

static void put_key(const struct wt_log_batch *batch, uint32_t i, const struct wt_region_role *role,
		    struct wt_buf *out)
{
	for (uint32_t k = 0; k < role->n_keys; k++) {
		const struct wt_log_column *column = &batch->columns[role->keys[k]];
		uint32_t from, len;

		if (column->values) {
			wt_buf_put_u64(out, column->values[i]);
			continue;
		}
		from = column->offsets ? column->offsets[i] : 0;
		len = column->offsets ? column->offsets[i + 1] - from : 0;
		wt_buf_put_u32(out, len);
		wt_buf_put(out, column->bytes + from, len);
	}
}

/* Threads of a process that two segments know have one number. */
static uint32_t process_of(struct scan *scan, const struct wt_log_segment *segment, uint32_t thread)
{
	const struct wt_log_process *process = &segment->processes[segment->threads[thread].process];
	bool fresh;

	return wt_intern(&scan->processes, process->pid, process->start_time, &fresh);
}

static bool is_value(const struct wt_log_batch *batch, uint32_t i, int field, uint64_t value)
{
	return field >= 0 && batch->columns[field].values && batch->columns[field].values[i] == value;
}

static uint32_t name_of(struct scan *scan, const struct wt_log_batch *batch, uint32_t i,
			const struct wt_region_role *role)
{
	return role->number >= 0 && batch->columns[role->number].values
		       ? call_name(scan, batch->columns[role->number].values[i])
		       : scan->class_names[role->class];
}

/* A new thread or process comes out of the call that its parent made, and got 0 from it. */
static bool is_first_return(const struct scan *scan, const struct wt_log_batch *batch, uint32_t i,
			    const struct wt_region_role *role, uint32_t name)
{
	if (!is_value(batch, i, role->result, 0))
		return false;
	for (size_t m = 0; m < sizeof(scan->makers) / sizeof(scan->makers[0]); m++)
		if (name == scan->makers[m])
			return true;
	return false;
}

static int wait_for_others(struct scan *scan, const struct wt_log_batch *batch, uint32_t i, uint32_t segment,
			   const struct wt_region_role *role, uint32_t name, struct wt_err *err)
{
	const struct wt_region_kinds *kinds = &scan->rows->kinds;
	const struct wt_region_class *class = &kinds->classes[role->class];
	const uint32_t *ids = wt_task_ids(&scan->rows->tasks, batch->segment);
	const uint8_t *activity = batch->activity ? batch->activity + (size_t)i * WT_ACTIVITY_ID : NULL;
	struct waiting *waiting = new_waiting(scan);
	uint32_t process = process_of(scan, batch->segment, batch->thread[i]);
	struct side side = {
		.segment = segment,
		.thread = batch->thread[i],
		.stack = batch->stack[i],
		.class = role->class,
		.at = role->at,
		.self = batch->self[i],
		.claimed = batch->claimed ? batch->claimed[i] : 0,
	};
	struct wt_buf *bytes = &scan->bytes;

	if (!waiting || !ids || process == WT_INTERN_NONE)
		return wt_fail_nomem(err);
	waiting->begins = role->begins;
	waiting->event = (struct wt_region_event){
		.side = {batch->time[i], batch->cpu[i], ids[batch->thread[i]],
			 batch->segment->threads[batch->thread[i]].tid, process},
		.activity = activity && !wt_activity_is_none(activity) ? activity : NULL,
		.owner = class->owner,
		.class = role->class,
		.group = class->group,
		.loose = role->loose,
	};
	waiting->event.name = name;
	if (!role->begins && is_value(batch, i, role->number, UINT64_MAX))
		waiting->event.or_name = &scan->sigreturn;
	waiting->activity = bytes->len;
	if (waiting->event.activity)
		wt_buf_put(bytes, activity, WT_ACTIVITY_ID);
	waiting->key = bytes->len;
	put_key(batch, i, role, bytes);
	waiting->event.key_len = bytes->len - waiting->key;
	waiting->payload = bytes->len;
	wt_buf_put(bytes, &side, sizeof(side));
	wt_region_put_values(batch, i, &scan->needs[kinds->segments[segment].shape[batch->kind]], bytes);
	waiting->payload_len = bytes->len - waiting->payload;
	return 0;
}

static int take_event(void *ctx, const struct wt_log_batch *batch, uint32_t i, struct wt_err *err)
{
	struct scan *scan = ctx;
	uint32_t s = find_segment(scan, batch->segment);
	const struct wt_region_segment *segment = &scan->rows->kinds.segments[s];
	uint32_t from = segment->first[batch->kind], to = segment->first[batch->kind + 1], name;

	if (scan->n_waiting && scan->waiting[0].event.side.time != batch->time[i] && apply_waiting(scan, err))
		return -1;
	for (uint32_t r = from; r < to; r++) {
		/* An event that ends one region and begins another does it in this order. */
		if (r > from && segment->roles[r].begins && apply_waiting(scan, err))
			return -1;
		name = name_of(scan, batch, i, &segment->roles[r]);
		if (name == WT_INTERN_NONE)
			return wt_fail_nomem(err);
		if (!is_first_return(scan, batch, i, &segment->roles[r], name) &&
		    wait_for_others(scan, batch, i, s, &segment->roles[r], name, err))
			return -1;
	}
	return scan->batch.stopped;
}

static bool want(void *ctx, const struct wt_log_segment *segment, uint32_t kind)
{
	struct scan *scan = ctx;

	return scan->rows->kinds.segments[find_segment(scan, segment)].shape[kind] != WT_REGION_NONE;
}

static void need(void *ctx, const struct wt_log_segment *real, uint32_t kind, struct wt_log_need *ret)
{
	struct scan *scan = ctx;
	const struct wt_region_segment *segment = &scan->rows->kinds.segments[find_segment(scan, real)];

	*ret = scan->needs[segment->shape[kind]];
	ret->activities = true;
	for (uint32_t r = segment->first[kind]; r < segment->first[kind + 1]; r++) {
		if (segment->roles[r].number >= 0)
			wt_log_need_field(ret, (uint32_t)segment->roles[r].number);
		if (segment->roles[r].result >= 0)
			wt_log_need_field(ret, (uint32_t)segment->roles[r].result);
		for (uint32_t k = 0; k < segment->roles[r].n_keys; k++)
			wt_log_need_field(ret, (uint32_t)segment->roles[r].keys[k]);
	}
}

static int take_events(struct scan *scan, struct wt_err *err)
{
	struct wt_log_filter filter = {
		.want = want, .need = need, .ctx = scan, .listener = scan->rows->listener};
	int rc = wt_in_order(scan->rows->file->log, &filter, take_event, scan, err);

	if (rc >= 0 && (apply_waiting(scan, err) || wt_pairing_finish(&scan->pairing, err) ||
			wt_region_batch_flush(&scan->batch, err)))
		rc = -1;
	return rc < 0 ? -1 : 0;
}

/* ---- what is needed ---- */

static void need_of_kind(const struct scan *scan, uint32_t k, struct wt_log_need *ret)
{
	const struct wt_region_rows *rows = scan->rows;
	const struct wt_region_segment *segment = &rows->kinds.segments[0];

	*ret = (struct wt_log_need){0};
	if (rows->need)
		rows->need(rows->need_ctx, &segment->shadow, segment->real->kinds.n + k, ret);
	else
		memset(ret->fields, 0xff, sizeof(ret->fields));
}

static int find_needs(struct scan *scan)
{
	const struct wt_region_kinds *kinds = &scan->rows->kinds;

	scan->needs = calloc(kinds->n_shapes + (size_t)1, sizeof(*scan->needs));
	scan->own = calloc(kinds->n_kinds + (size_t)1, sizeof(*scan->own));
	if (!scan->needs || !scan->own)
		return -1;
	for (uint32_t k = 0; k < kinds->n_kinds; k++) {
		const struct wt_region_kind *kind = &kinds->kinds[k];

		need_of_kind(scan, k, &scan->own[k]);
		for (uint32_t f = 0; f < kind->event.n_fields; f++)
			if (kind->from[f].side != WT_FROM_OWN && wt_log_needs_field(&scan->own[k], f))
				wt_log_need_field(
					&scan->needs[kind->from[f].side == WT_FROM_BEGIN ? kind->begin
											 : kind->end],
					kind->from[f].field);
	}
	return 0;
}

static int find_calls(struct scan *scan)
{
	static const char *const makers[] = {"sys_clone", "sys_clone3", "sys_fork", "sys_vfork"};

	for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++) {
		scan->makers[i] = name_text(scan, makers[i], strlen(makers[i]));
		if (scan->makers[i] == WT_INTERN_NONE)
			return -1;
	}
	scan->sigreturn = name_text(scan, "sys_rt_sigreturn", strlen("sys_rt_sigreturn"));
	return scan->sigreturn == WT_INTERN_NONE ? -1 : 0;
}

static int find_names(struct scan *scan)
{
	const struct wt_region_kinds *kinds = &scan->rows->kinds;

	if (find_calls(scan))
		return -1;
	scan->class_names = malloc((kinds->n_classes + (size_t)1) * sizeof(*scan->class_names));
	for (uint32_t c = 0; scan->class_names && c < kinds->n_classes; c++) {
		const char *name = kinds->classes[c].name;

		scan->class_names[c] = name_text(scan, name, strlen(name));
		if (scan->class_names[c] == WT_INTERN_NONE)
			return -1;
	}
	return scan->class_names ? 0 : -1;
}

static int prepare(struct scan *scan, struct wt_err *err)
{
	struct wt_region_rows *rows = scan->rows;

	if (find_needs(scan) || find_names(scan))
		return wt_fail_nomem(err);
	scan->batch.kinds = &rows->kinds;
	scan->batch.names = &rows->names;
	scan->batch.needs = scan->needs;
	scan->batch.own = scan->own;
	scan->batch.extents = &rows->extents;
	return wt_region_batch_init(&scan->batch, rows->most ? rows->most : BATCH_ROWS, err);
}

static void scan_deinit(struct scan *scan)
{
	wt_pairing_deinit(&scan->pairing);
	wt_region_batch_deinit(&scan->batch);
	wt_buf_deinit(&scan->bytes);
	free(scan->needs);
	free(scan->own);
	free(scan->class_names);
	free(scan->waiting);
	wt_intern_deinit(&scan->processes);
}

int wt_region_rows_scan(struct wt_region_rows *rows,
			int (*fn)(void *ctx, const struct wt_log_batch *batch, struct wt_err *err), void *ctx,
			struct wt_err *err)
{
	struct scan *scan = calloc(1, sizeof(*scan));
	int failed;

	if (!scan)
		return wt_fail_nomem(err);
	scan->rows = rows;
	scan->batch.fn = fn;
	scan->batch.ctx = ctx;
	scan->pairing.fn = take_region;
	scan->pairing.ctx = scan;
	rows->counts = (struct wt_region_counts){0};
	failed = prepare(scan, err);
	if (!failed && rows->kinds.n_kinds)
		failed = take_events(scan, err);
	rows->counts.most_open = scan->pairing.most;
	rows->extents = NULL;
	scan_deinit(scan);
	free(scan);
	return failed;
}

/* ---- init ---- */

static int read_losses(struct wt_region_rows *rows, struct wt_err *err)
{
	struct scan scan = {.rows = rows};

	if (rows->kinds.n_segments && wt_derived_read_all(rows->file->log, want, NULL, &scan, err))
		return -1;
	return wt_region_losses_read(&rows->losses, rows->file->log, err);
}

int wt_region_rows_init(struct wt_region_rows *rows, struct wt_view_file *file,
			const struct wt_region_pairs *pairs, struct wt_err *err)
{
	*rows = (struct wt_region_rows){.file = file};
	if (wt_region_kinds_init(&rows->kinds, file, pairs, err))
		return -1;
	if (!rows->kinds.n_kinds)
		return wt_fail(err, WT_ERR_NOTFOUND,
			       "the log has no regions: no event of a program has opcode START or STOP, no "
			       "system call is in it, and no --pair was given; --pair 'BEGIN,END' makes "
			       "regions of any two events");
	return read_losses(rows, err);
}

void wt_region_rows_deinit(struct wt_region_rows *rows)
{
	wt_region_kinds_deinit(&rows->kinds);
	wt_region_losses_deinit(&rows->losses);
	wt_task_ids_deinit(&rows->tasks);
	wt_strings_deinit(&rows->names);
	*rows = (struct wt_region_rows){0};
}
