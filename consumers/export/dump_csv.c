/* SPDX-License-Identifier: MIT */
#include "consumers/export/dump_csv.h"

#include <stdlib.h>
#include <string.h>

#include "consumers/analysis/facts.h"
#include "consumers/model/field.h"
#include "tracecore/base/out.h"
#include "tracecore/base/grow.h"

/* The columns that every event has; realtime only with --absolute. */
static const char *const common[] = {"time",    "realtime", "cpu",      "process", "pid",
				     "thread",  "tid",      "provider", "event",   "recorder",
				     "claimed", "activity", "related",  "stack",   "stack_status"};
enum { N_COMMON = sizeof(common) / sizeof(common[0]) };

void wt_dump_csv_deinit(struct wt_dump_csv *csv)
{
	for (uint32_t i = 0; i < csv->n_events; i++)
		free(csv->events[i]);
	free(csv->events);
	free(csv->field_of);
	wt_intern_deinit(&csv->ids);
	wt_strings_deinit(&csv->columns);
	wt_buf_deinit(&csv->text);
	*csv = (struct wt_dump_csv){0};
}

static bool is_common(const char *name)
{
	for (size_t i = 0; i < N_COMMON; i++)
		if (!strcmp(name, common[i]))
			return true;
	return false;
}

/* The name of a field's column: the field's name, with "field." in front if a common column has that name. */
static uint32_t column_of(struct wt_dump_csv *csv, const char *name)
{
	bool fresh;

	wt_buf_clear(&csv->text);
	wt_buf_puts(&csv->text, is_common(name) ? "field." : "");
	wt_buf_puts(&csv->text, name);
	return csv->text.failed ? WT_INTERN_NONE
				: wt_strings_add(&csv->columns, csv->text.data, csv->text.len, &fresh);
}

static uint32_t *make_columns(struct wt_dump_csv *csv, const struct wt_event_desc *event)
{
	uint32_t *columns = malloc((event->n_fields + (size_t)1) * sizeof(*columns));

	for (uint32_t f = 0; columns && f < event->n_fields; f++) {
		columns[f] = column_of(csv, event->fields[f].name);
		if (columns[f] == WT_INTERN_NONE) {
			free(columns);
			return NULL;
		}
	}
	return columns;
}

void wt_dump_csv_add(struct wt_dump_csv *csv, const struct wt_event_desc *event)
{
	bool fresh;
	uint32_t id = wt_intern(&csv->ids, (uint64_t)(uintptr_t)event, 0, &fresh);

	if (id != WT_INTERN_NONE && !fresh)
		return;
	if (id == WT_INTERN_NONE || wt_grow_one(&csv->events, csv->n_events, NULL) ||
	    !(csv->events[csv->n_events] = make_columns(csv, event)))
		csv->failed = true;
	else
		csv->n_events++;
}

int wt_dump_csv_head(struct wt_dump_csv *csv, const struct wt_dump *dump, struct wt_buf *out,
		     struct wt_err *err)
{
	size_t len;

	csv->field_of = calloc(csv->columns.count + (size_t)1, sizeof(*csv->field_of));
	if (csv->failed || !csv->field_of)
		return wt_fail_nomem(err);
	for (size_t i = 0; i < N_COMMON; i++)
		if (strcmp(common[i], "realtime") || dump->absolute)
			wt_buf_printf(out, "%s\"%s\"", i ? "," : "", common[i]);
	for (uint32_t c = 0; c < csv->columns.count; c++) {
		const char *name = wt_strings_get(&csv->columns, c, &len);

		wt_buf_puts(out, ",\"");
		wt_buf_put(out, name, len); /* names of fields have no quotes in them */
		wt_buf_put_u8(out, '"');
	}
	wt_buf_puts(out, "\r\n");
	return 0;
}

/* ---- one event ---- */

static void put_text(struct wt_dump *dump, uint32_t text, struct wt_buf *out)
{
	size_t len;
	const char *bytes = wt_strings_get(&dump->file->texts, text, &len);

	wt_buf_put_u8(out, ',');
	wt_csv_field(out, bytes, len);
}

static void put_i64(int64_t v, struct wt_buf *out)
{
	if (v < 0)
		wt_buf_put_u8(out, '-');
	wt_buf_put_dec(out, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

static void put_id(const uint8_t *ids, uint32_t i, struct wt_buf *out)
{
	wt_buf_put_u8(out, ',');
	if (ids && !wt_activity_is_none(ids + (size_t)i * WT_ACTIVITY_ID))
		wt_uuid_text(ids + (size_t)i * WT_ACTIVITY_ID, out);
}

static void put_task(uint32_t id, struct wt_buf *out)
{
	if (id != WT_VIEW_NO_NUMBER)
		wt_buf_put_dec(out, id);
}

static void put_who(struct wt_dump *dump, const struct wt_view_segment *segment,
		    const struct wt_log_batch *batch, uint32_t i, struct wt_buf *out)
{
	const struct wt_kind *kind = &batch->segment->kinds.kinds[batch->kind];
	uint32_t thread = batch->thread[i];

	wt_buf_put_u8(out, ',');
	if (batch->cpu[i] != WT_CPU_NONE)
		wt_buf_put_dec(out, batch->cpu[i]);
	put_text(dump, segment->comm_of[thread], out);
	wt_buf_put_u8(out, ',');
	put_task(dump->file->processes.rows[segment->process_of[thread]].number, out);
	put_text(dump, segment->name_of[thread], out);
	wt_buf_put_u8(out, ',');
	put_task(batch->segment->threads[thread].tid, out);
	wt_buf_put_u8(out, ',');
	wt_csv_field(out, kind->provider->name, strlen(kind->provider->name));
	wt_buf_put_u8(out, ',');
	wt_csv_field(out, kind->event->name, strlen(kind->event->name));
	wt_buf_puts(out, batch->self[i] ? ",true" : ",false");
	wt_buf_puts(out, batch->claimed[i] ? ",true" : ",false");
	put_id(batch->activity, i, out);
	put_id(batch->related, i, out);
}

struct frames {
	struct wt_dump *dump;
	struct wt_buf *text;
};

static void put_frame(void *ctx, const struct wt_view_frame *frame, uint32_t index)
{
	const struct frames *frames = ctx;
	size_t from;

	if (index && !frames->dump->stack)
		return;
	if (index)
		wt_buf_put_u8(frames->text, ';');
	from = frames->text->len;
	wt_view_symbol_text(frames->dump->file, frame->symbol, frames->text);
	wt_foreign_no_separator(frames->text, from, ';', ':');
}

static int put_stack(struct wt_dump *dump, struct wt_dump_csv *csv, struct wt_view_segment *segment,
		     uint32_t stack, struct wt_buf *out, struct wt_err *err)
{
	struct frames frames = {dump, &csv->text};
	uint8_t status;

	if (!stack || stack > segment->tables->n_stacks) {
		wt_buf_puts(out, ",,");
		return 0;
	}
	wt_buf_clear(&csv->text);
	if (wt_view_each_frame(dump->file, segment, stack, put_frame, &frames, err))
		return -1;
	status = segment->tables->stacks[stack - 1].status;
	wt_buf_put_u8(out, ',');
	wt_csv_field(out, csv->text.data, csv->text.len);
	wt_buf_printf(out, ",%s",
		      wt_stack_status_names[status < WT_N_STACK_STATUSES ? status : WT_STACK_LOST]);
	return 0;
}

static void put_value(struct wt_dump *dump, struct wt_dump_csv *csv, const struct wt_value *value,
		      struct wt_buf *out)
{
	const struct wt_field *field = value->field;
	bool scalar = !field->variable && field->count <= 1;

	if (scalar && field->type == WT_TYPE_STRING) {
		wt_csv_field(out, value->bytes, value->len);
	} else if (scalar && field->type == WT_TYPE_TIME) {
		if (value->u)
			put_i64((int64_t)(value->u - dump->file->origin), out);
	} else {
		wt_buf_clear(&csv->text);
		wt_value_text(value, &csv->text);
		wt_csv_field(out, csv->text.data, csv->text.len);
	}
}

static void put_fields(struct wt_dump *dump, struct wt_dump_csv *csv, const struct wt_log_batch *batch,
		       uint32_t i, const uint32_t *columns, struct wt_buf *out)
{
	uint32_t n = batch->segment->kinds.kinds[batch->kind].event->n_fields;
	struct wt_value value;

	for (uint32_t f = 0; f < n; f++)
		csv->field_of[columns[f]] = f + 1;
	for (uint32_t c = 0; c < csv->columns.count; c++) {
		wt_buf_put_u8(out, ',');
		if (csv->field_of[c] && !wt_log_value(batch, i, csv->field_of[c] - 1, &value)) {
			if (wt_view_is_none(batch->segment, batch->kind, &value))
				wt_buf_puts(out, "none");
			else
				put_value(dump, csv, &value, out);
		}
		csv->field_of[c] = 0;
	}
}

int wt_dump_csv(struct wt_dump *dump, const struct wt_log_batch *batch, uint32_t i, struct wt_buf *out,
		struct wt_err *err)
{
	const struct wt_event_desc *event = batch->segment->kinds.kinds[batch->kind].event;
	struct wt_dump_csv *csv = dump->csv;
	uint32_t id = wt_intern_find(&csv->ids, (uint64_t)(uintptr_t)event, 0);
	struct wt_view_segment *segment;

	if (id == WT_INTERN_NONE || wt_view_file_segment(dump->file, batch->segment, &segment, err))
		return id == WT_INTERN_NONE ? wt_fail_nomem(err) : -1;
	put_i64((int64_t)(batch->time[i] - dump->file->origin), out);
	if (dump->absolute) {
		wt_buf_put_u8(out, ',');
		wt_buf_put_dec(out, dump->clock->realtime + (batch->time[i] - dump->clock->raw));
	}
	put_who(dump, segment, batch, i, out);
	if (put_stack(dump, csv, segment, batch->stack[i], out, err))
		return -1;
	put_fields(dump, csv, batch, i, csv->events[id], out);
	wt_buf_puts(out, "\r\n");
	return 0;
}
