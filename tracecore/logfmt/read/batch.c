// SPDX-License-Identifier: MIT
#include "tracecore/logfmt/read/batch.h"

#include <stdlib.h>
#include <string.h>

#include "tracecore/base/bound.h"
#include "tracecore/logfmt/format/items.h"

void wt_log_batch_deinit(struct wt_log_batch_store *store)
{
	for (uint32_t f = 0; f < store->n_fields; f++) {
		free(store->fields[f].values);
		free(store->fields[f].offsets);
		wt_buf_deinit(&store->fields[f].bytes);
	}
	free(store->fields);
	free(store->columns);
	free(store->time);
	free(store->cpu);
	free(store->thread);
	free(store->stack);
	free(store->self);
	free(store->claimed);
	free(store->activity.ids);
	free(store->related.ids);
	*store = (struct wt_log_batch_store){0};
}

static bool resize(void *list, size_t n, size_t size)
{
	void **p = list;
	void *more = realloc(*p, n * size);

	if (more)
		*p = more;
	return more != NULL;
}

static bool make_room(struct wt_log_batch_store *store, uint32_t n, uint32_t n_fields)
{
	if (store->cap < n) {
		if (!resize(&store->time, n, sizeof(*store->time)) ||
		    !resize(&store->cpu, n, sizeof(*store->cpu)) ||
		    !resize(&store->thread, n, sizeof(*store->thread)) ||
		    !resize(&store->stack, n, sizeof(*store->stack)) ||
		    !resize(&store->self, n, sizeof(*store->self)) ||
		    !resize(&store->claimed, n, sizeof(*store->claimed)))
			return false;
		store->cap = n;
	}
	if (store->n_fields < n_fields) {
		if (!resize(&store->fields, n_fields, sizeof(*store->fields)) ||
		    !resize(&store->columns, n_fields, sizeof(*store->columns)))
			return false;
		memset(store->fields + store->n_fields, 0,
		       (n_fields - store->n_fields) * sizeof(*store->fields));
		store->n_fields = n_fields;
	}
	return true;
}

static uint64_t *values_room(struct wt_log_batch_field *field, uint32_t n)
{
	if (field->values_cap < n) {
		if (!resize(&field->values, n, sizeof(*field->values)))
			return NULL;
		field->values_cap = n;
	}
	return field->values;
}

static uint32_t *offsets_room(struct wt_log_batch_field *field, uint32_t n)
{
	if (field->offsets_cap < n + 1) {
		if (!resize(&field->offsets, n + 1, sizeof(*field->offsets)))
			return NULL;
		field->offsets_cap = n + 1;
	}
	return field->offsets;
}

/* Cuts words to the width of the type. The file may not set the bits above it. */
static void narrow_words(uint64_t *values, uint32_t n, unsigned width, bool is_signed)
{
	unsigned shift = 64 - 8 * width;

	if (!shift)
		return;
	if (is_signed) {
		for (uint32_t i = 0; i < n; i++)
			values[i] = (uint64_t)((int64_t)(values[i] << shift) >> shift);
	} else {
		for (uint32_t i = 0; i < n; i++)
			values[i] = values[i] << shift >> shift;
	}
}

static void widen_floats(uint64_t *values, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t bits = (uint32_t)values[i];
		float single;
		double wide;

		memcpy(&single, &bits, sizeof(single));
		wide = single;
		memcpy(&values[i], &wide, sizeof(wide));
	}
}

static int take_words(struct wt_log_batch_field *field, const struct wt_log_field_layout *layout,
		      const struct wt_log_column_view *view, uint32_t n, struct wt_log_column_room *room,
		      struct wt_log_column *ret)
{
	if (!values_room(field, n))
		return -1;
	if (!view)
		memset(field->values, 0, n * sizeof(*field->values));
	else if (wt_log_get_words(view, n, field->values, room))
		return 1;
	narrow_words(field->values, n, layout->width, layout->is_signed);
	if (layout->storage == WT_LOG_FLOAT)
		widen_floats(field->values, n);
	ret->values = field->values;
	return 0;
}

static bool size_fits(const uint8_t *item, uint32_t size, const struct wt_log_field_layout *layout)
{
	if (layout->storage == WT_LOG_CONTENT)
		return size <= UINT16_MAX;
	if (layout->fixed)
		return size == layout->fixed;
	return size >= 2 && size == 2 + (uint32_t)wt_load_u16(item) * layout->width;
}

/* True when items have a length that a payload can have: the field's size, or the size given by their
 * count of 16 bits. */
static bool sizes_fit(const uint32_t *offsets, const uint8_t *bytes, uint32_t n,
		      const struct wt_log_field_layout *layout)
{
	for (uint32_t i = 0; i < n; i++) {
		if (!size_fits(bytes + offsets[i], offsets[i + 1] - offsets[i], layout))
			return false;
	}
	return true;
}

static int take_items(struct wt_log_batch_field *field, const struct wt_log_field_layout *layout,
		      const struct wt_log_column_view *view, uint32_t n, size_t *left,
		      struct wt_log_column_room *room, struct wt_log_column *ret)
{
	if (!offsets_room(field, n))
		return -1;
	if (!view)
		return 1;
	field->bytes.failed = false;
	if (wt_log_get_items(view, n, field->offsets, &ret->bytes, &field->bytes, left, room))
		return field->bytes.failed ? -1 : 1;
	if (!sizes_fit(field->offsets, ret->bytes, n, layout))
		return 1;
	ret->offsets = field->offsets;
	return 0;
}

/* The columns of a payload, by id: the common ones first, then those of the fields. */
#define COMMON (WT_DISK_EVENT_RELATED + 1)
struct views {
	struct wt_log_column_view list[COMMON + WT_SCHEMA_MAX_FIELDS];
	bool has[COMMON + WT_SCHEMA_MAX_FIELDS];
};

static int find_columns(struct wt_cursor payload, uint32_t n_fields, struct views *views)
{
	struct wt_log_column_view view;
	int rc;

	memset(views->has, 0, sizeof(views->has));
	while ((rc = wt_log_column_next(&payload, &view)) == 0) {
		uint32_t at = view.id;

		if (at >= WT_DISK_EVENT_FIELD && at - WT_DISK_EVENT_FIELD < n_fields)
			at = at - WT_DISK_EVENT_FIELD + COMMON;
		else if (at >= COMMON)
			continue;
		if (views->has[at])
			return -1;
		views->has[at] = true;
		views->list[at] = view;
	}
	return rc < 0 ? -1 : 0;
}

/* One value for all events, as in most of these columns of most blocks. */
static bool common_constant(const struct views *views, unsigned at, uint64_t *ret)
{
	const struct wt_log_column_view *view = &views->list[at];
	struct wt_cursor data = view->data;

	*ret = 0;
	if (!views->has[at])
		return true;
	if (view->encoding != WT_DISK_FOR || view->width)
		return false;
	*ret = wt_cur_u64(&data);
	return !data.bad && !wt_cur_left(&data);
}

static int common_words(const struct views *views, unsigned at, uint32_t n, uint64_t *words,
			struct wt_log_column_room *room)
{
	if (views->has[at])
		return wt_log_get_words(&views->list[at], n, words, room);
	memset(words, 0, n * sizeof(*words));
	return 0;
}

static const char *take_times(struct wt_log_batch_store *store, const struct views *views,
			      const struct wt_disk_block_header *header, struct wt_log_column_room *room)
{
	uint32_t n = header->count;
	uint64_t back = 0;

	if (common_words(views, WT_DISK_EVENT_TIME, n, store->time, room))
		return "time column does not decode";
	for (uint32_t i = 1; i < n; i++)
		back |= store->time[i] < store->time[i - 1];
	if (back || store->time[0] < header->time_min || store->time[n - 1] > header->time_max)
		return "event times go back or leave the block's range";
	return NULL;
}

static void fill(uint32_t *ids, uint32_t n, uint32_t id)
{
	for (uint32_t i = 0; i < n; i++)
		ids[i] = id;
}

/* Takes ids below bound, to 32 bits. Other ids become 0 and are counted. -1: malformed. */
static int take_ids(struct wt_log_batch_store *store, const struct views *views, unsigned at, uint32_t n,
		    uint64_t bound, uint32_t *ids, struct wt_log_column_room *room)
{
	uint32_t bad = 0;
	uint64_t same;

	if (common_constant(views, at, &same)) {
		fill(ids, n, same < bound ? (uint32_t)same : 0);
		store->bad_ids += same < bound ? 0 : n;
		return 0;
	}
	if (common_words(views, at, n, room->words, room))
		return -1;
	for (uint32_t i = 0; i < n; i++) {
		bool good = room->words[i] < bound;

		ids[i] = good ? (uint32_t)room->words[i] : 0;
		bad += !good;
	}
	store->bad_ids += bad;
	return 0;
}

static int take_cpus(struct wt_log_batch_store *store, const struct views *views, uint32_t n,
		     struct wt_log_column_room *room)
{
	uint64_t same;

	if (common_constant(views, WT_DISK_EVENT_CPU, &same)) {
		fill(store->cpu, n, (uint32_t)same - 1);
		return 0;
	}
	if (common_words(views, WT_DISK_EVENT_CPU, n, room->words, room))
		return -1;
	for (uint32_t i = 0; i < n; i++)
		store->cpu[i] = (uint32_t)room->words[i] - 1;
	return 0;
}

static int take_flags(struct wt_log_batch_store *store, const struct views *views, uint32_t n,
		      struct wt_log_column_room *room)
{
	uint64_t same;

	if (common_constant(views, WT_DISK_EVENT_FLAGS, &same)) {
		memset(store->self, same & WT_DISK_EVENT_SELF ? 1 : 0, n);
		memset(store->claimed, same & WT_DISK_EVENT_CLAIMED ? 1 : 0, n);
		return 0;
	}
	if (common_words(views, WT_DISK_EVENT_FLAGS, n, room->words, room))
		return -1;
	for (uint32_t i = 0; i < n; i++) {
		store->self[i] = room->words[i] & WT_DISK_EVENT_SELF;
		store->claimed[i] = (room->words[i] & WT_DISK_EVENT_CLAIMED) != 0;
	}
	return 0;
}

static const char *take_common(struct wt_log_batch_store *store, const struct views *views, uint32_t n,
			       const struct wt_log_segment *segment, struct wt_log_column_room *room)
{
	store->bad_ids = 0;
	if (take_cpus(store, views, n, room))
		return "cpu column does not decode";
	if (take_ids(store, views, WT_DISK_EVENT_THREAD, n, segment->n_threads, store->thread, room))
		return "thread column does not decode";
	if (take_ids(store, views, WT_DISK_EVENT_STACK, n, (uint64_t)segment->n_stacks + 1, store->stack,
		     room))
		return "stack column does not decode";
	if (take_flags(store, views, n, room))
		return "flags column does not decode";
	return NULL;
}

/* Takes ids to a plain array, with zeros for events without one. 0; 1 damaged; -1 no memory. */
static int take_activities(struct wt_log_batch_ids *store, const struct wt_log_column_view *view, uint32_t n,
			   struct wt_log_column_room *room, const uint8_t **ret)
{
	struct wt_str *items;
	int rc = 1;

	if (store->cap < n) {
		if (!resize(&store->ids, n, WT_ACTIVITY_ID))
			return -1;
		store->cap = n;
	}
	items = malloc((size_t)n * sizeof(*items));
	if (!items)
		return -1;
	memset(store->ids, 0, (size_t)n * WT_ACTIVITY_ID);
	if (!wt_log_get_strs(view, n, items, room)) {
		rc = 0;
		for (uint32_t i = 0; i < n; i++) {
			if (items[i].len == WT_ACTIVITY_ID)
				memcpy(store->ids + (size_t)i * WT_ACTIVITY_ID, items[i].p, WT_ACTIVITY_ID);
			else if (items[i].len)
				rc = 1;
		}
	}
	free(items);
	*ret = store->ids;
	return rc;
}

static int take_ids_of(struct wt_log_batch_store *store, const struct views *views, uint32_t n,
		       struct wt_log_column_room *room)
{
	struct wt_log_batch *batch = &store->batch;
	int rc = 0;

	if (views->has[WT_DISK_EVENT_ACTIVITY])
		rc = take_activities(&store->activity, &views->list[WT_DISK_EVENT_ACTIVITY], n, room,
				     &batch->activity);
	if (!rc && views->has[WT_DISK_EVENT_RELATED])
		rc = take_activities(&store->related, &views->list[WT_DISK_EVENT_RELATED], n, room,
				     &batch->related);
	return rc;
}

static bool is_needed(const struct wt_log_need *need, uint32_t f)
{
	return !need || (need->fields[f / 64] >> f % 64 & 1);
}

static int take_fields(struct wt_log_batch_store *store, const struct views *views,
		       const struct wt_event_desc *desc, uint32_t n, const struct wt_log_need *need,
		       struct wt_log_column_room *room)
{
	size_t left = WT_DISK_MAX_ITEMS;

	for (uint32_t f = 0; f < desc->n_fields; f++) {
		const struct wt_log_column_view *view = views->has[COMMON + f] ? &views->list[COMMON + f]
									       : NULL;
		struct wt_log_column *column = &store->columns[f];
		struct wt_log_field_layout layout;
		int rc;

		wt_log_field_layout(&desc->fields[f], &layout);
		*column = (struct wt_log_column){.field = &desc->fields[f]};
		if (!is_needed(need, f))
			continue;
		if (layout.storage < WT_LOG_CONTENT)
			rc = take_words(&store->fields[f], &layout, view, n, room, column);
		else
			rc = take_items(&store->fields[f], &layout, view, n, &left, room, column);
		if (rc)
			return rc;
	}
	return 0;
}

const char *wt_log_batch_decode(struct wt_log_batch_store *store, const struct wt_log_segment *segment,
				const struct wt_disk_block_header *header, const uint8_t *raw,
				const struct wt_log_need *need, struct wt_log_column_room *room, int *rc)
{
	const struct wt_event_desc *desc = segment->kinds.kinds[header->kind].event;
	uint32_t n = header->count;
	struct views views;
	const char *what;

	*rc = 0;
	if (!make_room(store, n, desc->n_fields) || !wt_log_column_room(room, n)) {
		*rc = -1;
		return NULL;
	}
	if (find_columns(wt_cursor(raw, header->raw_size), desc->n_fields, &views))
		return "columns do not fit the block";
	what = take_times(store, &views, header, room);
	if (!what)
		what = take_common(store, &views, n, segment, room);
	if (what)
		return what;
	*rc = take_fields(store, &views, desc, n, need, room);
	if (*rc > 0) {
		*rc = 0;
		return "field column does not decode";
	}
	store->batch = (struct wt_log_batch){
		.segment = segment,
		.kind = header->kind,
		.n = n,
		.time = store->time,
		.cpu = store->cpu,
		.thread = store->thread,
		.stack = store->stack,
		.self = store->self,
		.claimed = store->claimed,
		.columns = store->columns,
	};
	if (*rc == 0 && (!need || need->activities))
		*rc = take_ids_of(store, &views, n, room);
	if (*rc > 0) {
		*rc = 0;
		return "activity column does not decode";
	}
	return NULL;
}

/* The first event at or after time. */
static uint32_t lower_bound(const struct wt_log_batch *batch, uint64_t time)
{
	return WT_BOUND(i, 0, batch->n, batch->time[i] < time);
}

/* Keeps only the n events from `from` on. */
static void narrow(struct wt_log_batch *batch, struct wt_log_column *columns, uint32_t from, uint32_t n)
{
	uint32_t n_fields = batch->segment->kinds.kinds[batch->kind].event->n_fields;

	batch->n = n;
	batch->time += from;
	batch->cpu += from;
	batch->thread += from;
	batch->stack += from;
	batch->self += from;
	batch->claimed += from;
	if (batch->activity)
		batch->activity += (size_t)from * WT_ACTIVITY_ID;
	if (batch->related)
		batch->related += (size_t)from * WT_ACTIVITY_ID;
	for (uint32_t f = 0; f < n_fields; f++) {
		if (columns[f].values)
			columns[f].values += from;
		if (columns[f].offsets)
			columns[f].offsets += from;
	}
}

void wt_log_batch_trim(struct wt_log_batch *batch, struct wt_log_column *columns, uint64_t from, uint64_t to)
{
	uint32_t lo = lower_bound(batch, from);
	uint32_t hi = to ? lower_bound(batch, to) : batch->n;

	narrow(batch, columns, lo, hi > lo ? hi - lo : 0);
}

struct wt_log_batch wt_log_batch_single(const struct wt_log_batch *batch, uint32_t i,
					struct wt_log_column columns[WT_SCHEMA_MAX_FIELDS])
{
	struct wt_log_batch one = *batch;

	for (uint32_t f = 0; f < batch->segment->kinds.kinds[batch->kind].event->n_fields; f++)
		columns[f] = batch->columns[f];
	one.columns = columns;
	narrow(&one, columns, i, 1);
	return one;
}
