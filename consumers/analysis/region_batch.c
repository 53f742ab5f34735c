/* SPDX-License-Identifier: MIT */
#include "consumers/analysis/region_batch.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 8 << 20 /* of values */ };

/* ---- names of states ---- */

static const char *const state_names[] = {
	"complete", "overlapping", "unfinished", "overlapping, unfinished", "no start",
};

/* How sure a state is. */
static const char *const doubt_names[] = {"", ", within in doubt", ", in doubt"};
enum { N_DOUBTS = 3 };

/* An index of state_names times N_DOUBTS, plus one of doubt_names. */
uint64_t wt_region_state_number(const struct wt_region *region)
{
	uint64_t name = region->overlapping;

	if (region->state == WT_REGION_UNFINISHED)
		name += 2;
	if (region->state == WT_REGION_UNBEGUN)
		name = 4;
	return name * N_DOUBTS + (region->doubtful ? 2 : region->around_doubtful);
}

static void put_state(uint64_t state, struct wt_buf *out)
{
	wt_buf_puts(out, state_names[state / N_DOUBTS]);
	wt_buf_puts(out, doubt_names[state % N_DOUBTS]);
}

/* ---- values: those of the needed fields, in their order; 8 bytes, or a length and bytes ---- */

static bool is_number(enum wt_type type, const struct wt_field *field)
{
	return !field->variable && field->count <= 1 &&
	       (wt_type_is_integer(type) || type == WT_TYPE_F32 || type == WT_TYPE_F64);
}

void wt_region_put_values(const struct wt_log_batch *batch, uint32_t i, const struct wt_log_need *need,
			  struct wt_buf *out)
{
	const struct wt_event_desc *event = batch->segment->kinds.kinds[batch->kind].event;

	for (uint32_t f = 0; f < event->n_fields; f++) {
		const struct wt_log_column *column = &batch->columns[f];

		if (!wt_log_needs_field(need, f))
			continue;
		if (is_number(event->fields[f].type, &event->fields[f])) {
			wt_buf_put_u64(out, column->values ? column->values[i] : 0);
			continue;
		}
		if (!column->offsets) {
			wt_buf_put_u32(out, 0);
			continue;
		}
		wt_buf_put_u32(out, column->offsets[i + 1] - column->offsets[i]);
		wt_buf_put(out, column->bytes + column->offsets[i],
			   column->offsets[i + 1] - column->offsets[i]);
	}
}

/* The offset of a field's value after the values of the fields before it. */
static const uint8_t *value_at(const struct wt_event_desc *event, const struct wt_log_need *need,
			       const uint8_t *at, uint32_t field)
{
	for (uint32_t f = 0; f < field; f++) {
		if (!wt_log_needs_field(need, f))
			continue;
		at += is_number(event->fields[f].type, &event->fields[f]) ? 8 : 4 + (size_t)wt_load_u32(at);
	}
	return at;
}

/* ---- a batch of rows ---- */

static const struct wt_region_kind *kind_of(const struct wt_region_batch *batch,
					    const struct wt_region_row *row)
{
	return &batch->kinds->kinds[row->kind];
}

static int by_kind_and_time(const void *x, const void *y, void *ctx)
{
	const struct wt_region_row *rows = ctx, *a = &rows[*(const uint32_t *)x],
				   *b = &rows[*(const uint32_t *)y];

	if (a->segment != b->segment)
		return a->segment < b->segment ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static void fill_common(struct wt_region_batch *batch, const uint32_t *order, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct wt_region_row *row = &batch->rows[order[i]];

		batch->common.time[i] = row->time;
		batch->common.cpu[i] = row->cpu;
		batch->common.thread[i] = row->thread;
		batch->common.stack[i] = row->stack;
		batch->common.self[i] = row->self;
		batch->common.claimed[i] = row->claimed;
		memcpy(batch->activity + (size_t)i * WT_ACTIVITY_ID, row->activity, WT_ACTIVITY_ID);
		batch->row_extents[i] = row->extent;
	}
}

static void put_own_text(const struct wt_region_batch *batch, const struct wt_region_row *row, uint32_t own,
			 struct wt_buf *out)
{
	size_t len;
	const char *name;

	if (own == WT_REGION_STATE) {
		put_state(row->own[own], out);
	} else if (row->own[own] != WT_REGION_NONE) {
		name = wt_strings_get(batch->names, (uint32_t)row->own[own], &len);
		wt_buf_put(out, name, len);
	}
}

/* The stored value of a row that a field comes from; *need says how it is stored. */
static const uint8_t *stored(const struct wt_region_batch *batch, const struct wt_region_kind *kind,
			     const struct wt_region_row *row, const struct wt_region_from *from)
{
	uint32_t shape = from->side == WT_FROM_BEGIN ? kind->begin : kind->end;
	size_t at = from->side == WT_FROM_BEGIN ? row->begin : row->end;

	return value_at(batch->kinds->shapes[shape].event, &batch->needs[shape], batch->values.data + at,
			from->field);
}

static void fill_numbers(struct wt_region_batch *batch, const struct wt_region_kind *kind, uint32_t f,
			 const uint32_t *order, uint32_t n)
{
	const struct wt_region_from *from = &kind->from[f];

	for (uint32_t i = 0; i < n; i++) {
		const struct wt_region_row *row = &batch->rows[order[i]];

		batch->numbers[f][i] = from->side == WT_FROM_OWN
					       ? row->own[from->field]
					       : wt_load_u64(stored(batch, kind, row, from));
	}
	batch->columns[f].values = batch->numbers[f];
}

static void fill_texts(struct wt_region_batch *batch, const struct wt_region_kind *kind, uint32_t f,
		       const uint32_t *order, uint32_t n)
{
	const struct wt_region_from *from = &kind->from[f];
	struct wt_buf *out = &batch->texts[f];

	wt_buf_clear(out);
	for (uint32_t i = 0; i < n; i++) {
		const struct wt_region_row *row = &batch->rows[order[i]];

		batch->offsets[f][i] = (uint32_t)out->len;
		if (from->side == WT_FROM_OWN) {
			put_own_text(batch, row, from->field, out);
		} else {
			const uint8_t *at = stored(batch, kind, row, from);

			wt_buf_put(out, at + 4, wt_load_u32(at));
		}
	}
	batch->offsets[f][n] = (uint32_t)out->len;
	batch->columns[f].offsets = batch->offsets[f];
	batch->columns[f].bytes = (const uint8_t *)wt_buf_cstr(out);
}

static int room_for_column(struct wt_region_batch *batch, uint32_t f)
{
	if (!batch->numbers[f])
		batch->numbers[f] = malloc(batch->most * sizeof(uint64_t));
	if (!batch->offsets[f])
		batch->offsets[f] = malloc((batch->most + (size_t)1) * sizeof(uint32_t));
	return batch->numbers[f] && batch->offsets[f] ? 0 : -1;
}

static int fill_columns(struct wt_region_batch *batch, const struct wt_region_kind *kind, uint32_t index,
			const uint32_t *order, uint32_t n)
{
	for (uint32_t f = 0; f < kind->event.n_fields; f++) {
		const struct wt_field *field = &kind->event.fields[f];

		batch->columns[f] = (struct wt_log_column){.field = field};
		if (!wt_log_needs_field(&batch->own[index], f))
			continue;
		if (room_for_column(batch, f))
			return -1;
		if (is_number(field->type, field))
			fill_numbers(batch, kind, f, order, n);
		else
			fill_texts(batch, kind, f, order, n);
		if (batch->texts[f].failed)
			return -1;
	}
	return 0;
}

static int give_batch(struct wt_region_batch *batch, const uint32_t *order, uint32_t n, struct wt_err *err)
{
	const struct wt_region_row *first = &batch->rows[*order];
	const struct wt_region_segment *segment = &batch->kinds->segments[first->segment];
	struct wt_log_batch given = wt_derived_batch(&batch->common, &segment->shadow,
						     segment->real->kinds.n + first->kind, n, batch->columns);
	int rc;

	given.activity = batch->activity;
	fill_common(batch, order, n);
	if (fill_columns(batch, kind_of(batch, first), first->kind, order, n))
		return wt_fail_nomem(err);
	*batch->extents = batch->row_extents;
	rc = batch->fn(batch->ctx, &given, err);
	batch->stopped |= rc > 0;
	return rc < 0 ? -1 : 0;
}

/* Rows of one segment and kind make a batch. */
int wt_region_batch_flush(struct wt_region_batch *batch, struct wt_err *err)
{
	uint32_t *order = batch->order;
	int failed = 0;

	for (uint32_t i = 0; i < batch->n; i++)
		order[i] = i;
	if (batch->n > 1)
		qsort_r(order, batch->n, sizeof(*order), by_kind_and_time, batch->rows);
	for (uint32_t from = 0, to; from < batch->n && !failed && !batch->stopped; from = to) {
		const struct wt_region_row *first = &batch->rows[order[from]];

		for (to = from + 1; to < batch->n; to++)
			if (batch->rows[order[to]].segment != first->segment ||
			    batch->rows[order[to]].kind != first->kind)
				break;
		failed = give_batch(batch, order + from, to - from, err);
	}
	batch->n = 0;
	wt_buf_clear(&batch->values);
	return failed;
}

/* ---- rows ---- */

struct wt_region_row *wt_region_batch_row(struct wt_region_batch *batch)
{
	struct wt_region_row *row = &batch->rows[batch->n];

	*row = (struct wt_region_row){.order = batch->n_given++};
	return row;
}

int wt_region_batch_push(struct wt_region_batch *batch, struct wt_err *err)
{
	if (batch->values.failed)
		return wt_fail_nomem(err);
	if (++batch->n == batch->most || batch->values.len > MOST_BYTES)
		return wt_region_batch_flush(batch, err);
	return 0;
}

int wt_region_batch_init(struct wt_region_batch *batch, uint32_t most, struct wt_err *err)
{
	size_t n = most;

	batch->most = most;
	batch->rows = malloc(n * sizeof(*batch->rows));
	batch->row_extents = malloc(n * sizeof(*batch->row_extents));
	batch->order = malloc(n * sizeof(*batch->order));
	batch->activity = malloc(n * WT_ACTIVITY_ID);
	if (!batch->rows || !batch->row_extents || !batch->order || !batch->activity)
		return wt_fail_nomem(err);
	return wt_derived_init(&batch->common, most, err);
}

void wt_region_batch_deinit(struct wt_region_batch *batch)
{
	for (uint32_t f = 0; f < WT_SCHEMA_MAX_FIELDS; f++) {
		free(batch->numbers[f]);
		free(batch->offsets[f]);
		wt_buf_deinit(&batch->texts[f]);
	}
	wt_buf_deinit(&batch->values);
	free(batch->rows);
	free(batch->row_extents);
	free(batch->order);
	wt_derived_deinit(&batch->common);
	free(batch->activity);
}
