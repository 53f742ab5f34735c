// SPDX-License-Identifier: MIT
#include "tracecore/logfmt/write/pending.h"

#include <stdlib.h>

/* The columns of every event: time, cpu, thread, stack, flags. */
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

/* Moves past the elements of a packed field. Arrays of counted elements do not exist. */
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

/* Removes the bytes of a refused event from the item columns. Returns whether a lack of memory was the
 * reason. */
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

/* Reads the fields of a payload that has the right size and consists of words only. */
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

/* Fills the values that n events from `row` on have in common. */
static void put_common(struct wt_log_col *cols, uint32_t row, uint32_t n, uint32_t cpu, uint32_t thread,
		       uint32_t stack, uint32_t flags)
{
	wt_log_col_fill(&cols[WT_DISK_EVENT_CPU], row, n, (uint32_t)(cpu + 1));
	wt_log_col_fill(&cols[WT_DISK_EVENT_THREAD], row, n, thread);
	wt_log_col_fill(&cols[WT_DISK_EVENT_STACK], row, n, stack);
	wt_log_col_fill(&cols[WT_DISK_EVENT_FLAGS], row, n,
			(flags & WT_EVENT_SELF ? WT_DISK_EVENT_SELF : 0u) |
				(flags & WT_EVENT_CLAIMED ? WT_DISK_EVENT_CLAIMED : 0u));
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
	put_common(cols, set->n, 1, event->cpu, thread, stack, event->flags);
	pending->unsorted |= set->n && event->time < pending->last_time;
	pending->last_time = event->time;
	set->n++;
	return 0;
}

/* The member of the list for that CPU, made if new. */
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

/* Reads field f of n payloads; the first payload has it at p. The loads all have one width, so that the
 * compiler makes a loop for each width. */
static void put_column(uint64_t *words, const uint8_t *p, uint32_t stride, uint32_t n,
		       const struct wt_log_field_layout *layout)
{
	uint32_t i;

	if (layout->width == 8) {
		for (i = 0; i < n; i++, p += stride)
			words[i] = wt_load_u64(p);
	} else if (layout->width == 4 && !layout->is_signed) {
		for (i = 0; i < n; i++, p += stride)
			words[i] = wt_load_u32(p);
	} else {
		for (i = 0; i < n; i++, p += stride)
			words[i] = load_word(p, layout->width, layout->is_signed);
	}
}

/* Adds events whose payloads have the right size and consist of words only; there is room. */
static void put_flat_strip(struct wt_log_pending *pending, uint32_t n_fields, const struct wt_strip *strip,
			   uint32_t thread, uint32_t flags)
{
	struct wt_log_cols *set = &pending->cols;
	struct wt_log_col *cols = set->cols;
	const uint8_t *p = strip->payload;

	memcpy(cols[WT_DISK_EVENT_TIME].words + set->n, strip->times, strip->n * sizeof(*strip->times));
	put_common(cols, set->n, strip->n, strip->cpu, thread, 0, flags);
	for (uint32_t f = 0; f < n_fields; f++) {
		put_column(cols[COMMON + f].words + set->n, p, strip->stride, strip->n, &pending->layouts[f]);
		p += pending->layouts[f].width;
	}
	pending->unsorted |= set->n && strip->times[0] < pending->last_time;
	pending->last_time = strip->times[strip->n - 1];
	set->n += strip->n;
}

/* Adds one event of a run or a strip. */
static struct wt_event plain_event(uint32_t kind, uint32_t cpu, uint64_t time, uint32_t flags,
				   const uint8_t *payload, uint32_t payload_len)
{
	return (struct wt_event){
		.time = time,
		.kind = kind,
		.cpu = cpu,
		.flags = flags,
		.payload = payload,
		.payload_len = payload_len,
	};
}

uint32_t wt_log_pending_add_run(struct wt_log_pending *pending, const struct wt_kind *kind,
				const struct wt_run *run, uint32_t thread, uint32_t flags, struct wt_err *err)
{
	struct wt_log_pending *own = of_cpu(pending, run->cpu);
	uint32_t n = 0;

	if (!own)
		return wt_fail_nomem(err), 0;
	for (; n < run->n; n++) {
		const struct wt_run_event *from = &run->events[n];
		struct wt_event event = plain_event(from->kind, run->cpu, from->time, flags, from->payload,
						    from->payload_len);

		if (wt_log_pending_add(own, kind, &event, thread, 0, err))
			break;
	}
	return n;
}

/* Handles payloads that do not consist of words only, or do not follow the schema. */
static uint32_t add_singly(struct wt_log_pending *own, const struct wt_kind *kind, struct wt_strip rest,
			   uint32_t thread, uint32_t flags, struct wt_err *err)
{
	uint32_t n = rest.n;

	for (; rest.n; wt_strip_skip(&rest, 1)) {
		struct wt_event event = plain_event(rest.kind, rest.cpu, rest.times[0], flags, rest.payload,
						    rest.payload_len);

		if (wt_log_pending_add(own, kind, &event, thread, 0, err))
			break;
	}
	return n - rest.n;
}

uint32_t wt_log_pending_add_strip(struct wt_log_pending *pending, const struct wt_kind *kind,
				  const struct wt_strip *strip, uint32_t thread, uint32_t flags,
				  struct wt_err *err)
{
	struct wt_log_pending *own = of_cpu(pending, strip->cpu);

	if (!own || (!own->layouts && prepare(own, kind->event, err)))
		return own ? 0 : (wt_fail_nomem(err), 0);
	if (!own->flat || own->has_ids || strip->payload_len != own->flat)
		return add_singly(own, kind, *strip, thread, flags, err);
	while (own->cols.n + strip->n > own->cols.cap)
		if (wt_log_cols_grow(&own->cols, err))
			return 0;
	put_flat_strip(own, kind->event->n_fields, strip, thread, flags);
	return strip->n;
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
}
