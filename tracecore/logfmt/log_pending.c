// SPDX-License-Identifier: MIT
#include "tracecore/logfmt/log_pending.h"

#include <stdlib.h>

/* The columns every event has: time, cpu, thread, stack, flags. */
#define COMMON (WT_DISK_EVENT_FLAGS + 1)

void wt_log_pending_deinit(struct wt_log_pending *pending)
{
	struct wt_log_pending *next;

	for (struct wt_log_pending *p = pending->next; p; p = next) {
		next = p->next;
		wt_log_cols_deinit(&p->cols);
		free(p->layouts);
		free(p);
	}
	wt_log_cols_deinit(&pending->cols);
	free(pending->layouts);
	*pending = (struct wt_log_pending){0};
}

static int prepare(struct wt_log_pending *pending, const struct wt_event_desc *desc, struct wt_err *err)
{
	bool items = false;

	pending->layouts = calloc(desc->n_fields + 1, sizeof(*pending->layouts));
	if (!pending->layouts || wt_log_cols_init(&pending->cols, COMMON + desc->n_fields, err)) {
		free(pending->layouts);
		pending->layouts = NULL;
		return wt_fail_nomem(err);
	}
	for (uint32_t f = 0; f < desc->n_fields; f++) {
		struct wt_log_col *col = &pending->cols.cols[COMMON + f];

		wt_log_field_layout(&desc->fields[f], &pending->layouts[f]);
		col->id = (uint16_t)(WT_DISK_EVENT_FIELD + f);
		col->items = pending->layouts[f].storage >= WT_LOG_CONTENT;
		pending->flat += pending->layouts[f].width;
		items |= col->items;
	}
	if (items)
		pending->flat = 0;
	pending->same_cpu = true;
	return 0;
}

static uint64_t load_word(const uint8_t *p, unsigned width, bool is_signed)
{
	switch (width) {
	case 1:
		return is_signed ? (uint64_t)(int8_t)*p : *p;
	case 2:
		return is_signed ? (uint64_t)(int16_t)wt_load_u16(p) : wt_load_u16(p);
	case 4:
		return is_signed ? (uint64_t)(int32_t)wt_load_u32(p) : wt_load_u32(p);
	default:
		return wt_load_u64(p);
	}
}

static uint64_t take_word(struct wt_cursor *cur, unsigned width, bool is_signed)
{
	const uint8_t *p = wt_cur_bytes(cur, width);

	return p ? load_word(p, width, is_signed) : 0;
}

/* Moves behind the elements of a packed field. Arrays of counted elements do not exist. */
static void skip_packed(struct wt_cursor *cur, const struct wt_field *field, unsigned width)
{
	uint32_t n = field->variable ? wt_cur_u16(cur) : field->count > 1 ? field->count : 1;

	if (width)
		wt_cur_bytes(cur, (size_t)n * width);
	else
		cur->bad = true;
}

static void put_item(struct wt_log_col *col, uint32_t row, struct wt_cursor *cur,
		     const struct wt_field *field, const struct wt_log_field_layout *layout)
{
	const uint8_t *start;
	size_t len;

	if (layout->storage == WT_LOG_CONTENT) {
		len = wt_cur_u16(cur);
		start = wt_cur_bytes(cur, len);
	} else {
		start = cur->pos;
		skip_packed(cur, field, layout->width);
		len = (size_t)(cur->pos - start);
	}
	if (!cur->bad)
		wt_buf_put(&col->bytes, start, len);
	col->words[row] = col->bytes.len;
}

static void put_fields(struct wt_log_pending *pending, const struct wt_event_desc *desc,
		       struct wt_cursor *cur)
{
	uint32_t row = pending->cols.n;

	for (uint32_t f = 0; f < desc->n_fields; f++) {
		struct wt_log_col *col = &pending->cols.cols[COMMON + f];
		const struct wt_log_field_layout *layout = &pending->layouts[f];

		if (!col->items)
			col->words[row] = take_word(cur, layout->width, layout->is_signed);
		else
			put_item(col, row, cur, &desc->fields[f], layout);
	}
}

/* Takes back what a refused event left in the item columns; says whether memory was the reason. */
static bool undo_items(struct wt_log_cols *set)
{
	bool nomem = false;

	for (uint32_t c = COMMON; c < set->n_cols; c++) {
		struct wt_log_col *col = &set->cols[c];

		nomem = nomem || col->bytes.failed || col->bytes.len > WT_LOG_COL_MAX;
		col->bytes.failed = false;
		col->bytes.len = set->n && col->items ? col->words[set->n - 1] : 0;
	}
	return nomem;
}

static bool items_fit(const struct wt_log_cols *set)
{
	for (uint32_t c = COMMON; c < set->n_cols; c++) {
		if (set->cols[c].bytes.failed || set->cols[c].bytes.len > WT_LOG_COL_MAX)
			return false;
	}
	return true;
}

static int add_id_columns(struct wt_log_pending *pending, struct wt_err *err)
{
	struct wt_log_cols *set = &pending->cols;

	if (wt_log_cols_add(set, WT_DISK_EVENT_ACTIVITY, err))
		return -1;
	if (wt_log_cols_add(set, WT_DISK_EVENT_RELATED, err)) {
		free(set->cols[--set->n_cols].words);
		return -1;
	}
	pending->has_ids = true;
	return 0;
}

static bool put_id(struct wt_log_col *col, uint32_t row, const uint8_t *id)
{
	if (id)
		wt_buf_put(&col->bytes, id, WT_ACTIVITY_ID);
	col->words[row] = col->bytes.len;
	return !col->bytes.failed;
}

static bool put_ids(struct wt_log_pending *pending, const struct wt_event *event)
{
	struct wt_log_cols *set = &pending->cols;
	struct wt_log_col *cols = &set->cols[set->n_cols - 2];

	return put_id(&cols[0], set->n, event->activity) && put_id(&cols[1], set->n, event->related);
}

static int refuse(struct wt_log_pending *pending, const struct wt_kind *kind, const struct wt_event *event,
		  struct wt_err *err)
{
	if (undo_items(&pending->cols))
		return wt_fail_nomem(err);
	return wt_fail(err, WT_ERR_FORMAT,
		       "an event %s:%s with a payload of %u bytes does not fit its schema",
		       kind->provider->name, kind->event->name, event->payload_len);
}

/* The fields of a payload whose size is right, all of them words. */
static void put_flat(struct wt_log_pending *pending, const struct wt_event_desc *desc, const uint8_t *p)
{
	for (uint32_t f = 0; f < desc->n_fields; f++) {
		const struct wt_log_field_layout *layout = &pending->layouts[f];

		pending->cols.cols[COMMON + f].words[pending->cols.n] = load_word(p, layout->width,
										  layout->is_signed);
		p += layout->width;
	}
}

static int put_checked(struct wt_log_pending *pending, const struct wt_kind *kind,
		       const struct wt_event *event, struct wt_err *err)
{
	struct wt_cursor cur = wt_cursor(event->payload, event->payload_len);
	bool fits;

	put_fields(pending, kind->event, &cur);
	fits = !cur.bad && !wt_cur_left(&cur) && (!pending->has_ids || put_ids(pending, event));
	return fits && items_fit(&pending->cols) ? 0 : refuse(pending, kind, event, err);
}

int wt_log_pending_add(struct wt_log_pending *pending, const struct wt_kind *kind,
		       const struct wt_event *event, uint32_t thread, uint32_t stack, struct wt_err *err)
{
	struct wt_log_cols *set = &pending->cols;
	struct wt_log_col *cols;

	if ((!pending->layouts && prepare(pending, kind->event, err)) || wt_log_cols_room(set, err) ||
	    ((event->activity || event->related) && !pending->has_ids && add_id_columns(pending, err)))
		return -1;
	if (pending->flat && pending->flat == event->payload_len && !pending->has_ids)
		put_flat(pending, kind->event, event->payload);
	else if (put_checked(pending, kind, event, err))
		return -1;
	cols = set->cols;
	cols[WT_DISK_EVENT_TIME].words[set->n] = event->time;
	cols[WT_DISK_EVENT_CPU].words[set->n] = event->cpu + 1;
	cols[WT_DISK_EVENT_THREAD].words[set->n] = thread;
	cols[WT_DISK_EVENT_STACK].words[set->n] = stack;
	cols[WT_DISK_EVENT_FLAGS].words[set->n] = event->flags & WT_EVENT_SELF ? WT_DISK_EVENT_SELF : 0;
	pending->unsorted |= set->n && event->time < pending->last_time;
	pending->same_cpu &= event->cpu + 1 == (uint32_t)cols[WT_DISK_EVENT_CPU].words[0];
	pending->last_time = event->time;
	set->n++;
	return 0;
}

/* The list's member for that CPU, made if new. */
static struct wt_log_pending *of_cpu(struct wt_log_pending *pending, uint32_t cpu)
{
	struct wt_log_pending *p = pending->next;

	while (p && p->cpu != cpu)
		p = p->next;
	if (p)
		return p;
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	p->cpu = cpu;
	p->next = pending->next;
	return pending->next = p;
}

/* Field f of n events, which lies at that offset of each payload. The loads are of one width each, so that
 * the compiler makes a loop of each. */
static void put_column(uint64_t *words, const struct wt_run_event *events, uint32_t n, size_t offset,
		       const struct wt_log_field_layout *layout)
{
	uint32_t i;

	if (layout->width == 8) {
		for (i = 0; i < n; i++)
			words[i] = wt_load_u64(events[i].payload + offset);
	} else if (layout->width == 4 && !layout->is_signed) {
		for (i = 0; i < n; i++)
			words[i] = wt_load_u32(events[i].payload + offset);
	} else {
		for (i = 0; i < n; i++)
			words[i] = load_word(events[i].payload + offset, layout->width, layout->is_signed);
	}
}

static void fill(uint64_t *words, uint32_t n, uint64_t value)
{
	for (uint32_t i = 0; i < n; i++)
		words[i] = value;
}

/* n events with payloads of the right size, all words; there is room. */
static void put_flat_run(struct wt_log_pending *pending, uint32_t n_fields, const struct wt_run *run,
			 uint32_t n, uint32_t thread, uint32_t flags)
{
	struct wt_log_cols *set = &pending->cols;
	struct wt_log_col *cols = set->cols;
	uint64_t *times = cols[WT_DISK_EVENT_TIME].words + set->n;
	size_t offset = 0;

	for (uint32_t i = 0; i < n; i++)
		times[i] = run->events[i].time;
	fill(cols[WT_DISK_EVENT_CPU].words + set->n, n, (uint64_t)run->cpu + 1);
	fill(cols[WT_DISK_EVENT_THREAD].words + set->n, n, thread);
	fill(cols[WT_DISK_EVENT_STACK].words + set->n, n, 0);
	fill(cols[WT_DISK_EVENT_FLAGS].words + set->n, n, flags & WT_EVENT_SELF ? WT_DISK_EVENT_SELF : 0);
	for (uint32_t f = 0; f < n_fields; f++) {
		put_column(cols[COMMON + f].words + set->n, run->events, n, offset, &pending->layouts[f]);
		offset += pending->layouts[f].width;
	}
	pending->unsorted |= set->n && times[0] < pending->last_time;
	pending->last_time = times[n - 1];
	set->n += n;
}

static uint32_t flat_length(const struct wt_log_pending *pending, const struct wt_run *run)
{
	uint32_t n = 0;

	if (pending->flat && !pending->has_ids)
		while (n < run->n && run->events[n].payload_len == pending->flat)
			n++;
	return n;
}

static int add_one(struct wt_log_pending *pending, const struct wt_kind *kind, const struct wt_run *run,
		   uint32_t i, uint32_t thread, uint32_t flags, struct wt_err *err)
{
	const struct wt_run_event *from = &run->events[i];
	struct wt_event event = {
		.time = from->time,
		.kind = from->kind,
		.cpu = run->cpu,
		.flags = flags,
		.payload = from->payload,
		.payload_len = from->payload_len,
	};

	return wt_log_pending_add(pending, kind, &event, thread, 0, err);
}

uint32_t wt_log_pending_add_run(struct wt_log_pending *pending, const struct wt_kind *kind,
				const struct wt_run *run, uint32_t thread, uint32_t flags, struct wt_err *err)
{
	struct wt_log_pending *own = of_cpu(pending, run->cpu);
	uint32_t n;

	if (!own || (!own->layouts && prepare(own, kind->event, err)))
		return own ? 0 : (wt_fail_nomem(err), 0);
	n = flat_length(own, run);
	while (n && own->cols.n + n > own->cols.cap)
		if (wt_log_cols_grow(&own->cols, err))
			return 0;
	if (n) {
		put_flat_run(own, kind->event->n_fields, run, n, thread, flags);
		return n;
	}
	while (n < run->n && !add_one(own, kind, run, n, thread, flags, err))
		n++;
	return n;
}

int wt_log_pending_sort(struct wt_log_pending *pending, struct wt_err *err)
{
	if (pending->unsorted && wt_log_cols_sort(&pending->cols, err))
		return -1;
	pending->unsorted = false;
	return 0;
}

void wt_log_pending_clear(struct wt_log_pending *pending)
{
	wt_log_cols_clear(&pending->cols);
	pending->unsorted = false;
	pending->same_cpu = true;
}
