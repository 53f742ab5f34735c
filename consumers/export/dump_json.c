/* SPDX-License-Identifier: MIT */
#include "consumers/export/dump.h"

#include "consumers/analysis/facts.h"
#include "consumers/model/field.h"
#include "tracecore/base/json.h"

struct printer {
	const struct wt_view_file *file;
	struct wt_json *json;
};

static void member(const struct wt_view_file *file, const char *name, uint32_t text, struct wt_json *json)
{
	size_t len;
	const char *bytes = wt_strings_get(&file->texts, text, &len);

	wt_json_bytes(json, name, bytes, len);
}

/* Writes a number that stands for something: the number, and beside it its text, which may be the number
 * too. */
static void put_number_and_text(const struct wt_value *value, struct wt_json *json)
{
	struct wt_buf name = {0}, text = {0};

	if (wt_type_is_signed(value->field->type))
		wt_json_signed(json, value->field->name, (int64_t)value->u);
	else
		wt_json_number(json, value->field->name, value->u);
	wt_buf_printf(&name, "%s_text", value->field->name);
	wt_value_text(value, &text);
	wt_json_bytes(json, wt_buf_cstr(&name), text.data, text.len);
	json->out->failed |= name.failed || text.failed;
	wt_buf_deinit(&name);
	wt_buf_deinit(&text);
}

static void put_field(const struct wt_view_file *file, const struct wt_value *value, struct wt_json *json)
{
	const struct wt_field *field = value->field;

	if (field->type != WT_TYPE_TIME || field->variable || field->count > 1) {
		wt_json_key(json, field->name);
		wt_value_json(value, json->out);
	} else if (value->u) {
		wt_json_signed(json, field->name, (int64_t)(value->u - file->origin));
	} else {
		wt_json_null(json, field->name);
	}
}

static void put_fields(const struct wt_view_file *file, const struct wt_log_batch *batch, uint32_t i,
		       struct wt_json *json)
{
	const struct wt_event_desc *event = batch->segment->kinds.kinds[batch->kind].event;

	wt_json_object(json, "fields");
	for (uint32_t f = 0; f < event->n_fields; f++) {
		struct wt_value value;

		if (wt_log_value(batch, i, f, &value))
			continue;
		if (wt_view_is_none(batch->segment, batch->kind, &value))
			wt_json_null(json, value.field->name);
		else if (wt_field_has_words(value.field))
			put_number_and_text(&value, json);
		else
			put_field(file, &value, json);
	}
	wt_json_end_object(json);
}

static void put_frame(void *ctx, const struct wt_view_frame *frame, uint32_t index)
{
	struct printer *printer = ctx;
	const struct wt_view_file *file = printer->file;
	struct wt_json *json = printer->json;

	(void)index;
	wt_json_object(json, NULL);
	wt_json_number(json, "offset", frame->offset);
	if (frame->reason == WT_RESOLVED)
		member(file, "function", frame->function, json);
	else
		wt_json_text(json, "unresolved", wt_frame_reason_names[frame->reason % WT_N_FRAME_REASONS]);
	member(file, "module", frame->module, json);
	if (frame->file != WT_VIEW_NONE) {
		member(file, "file", frame->file, json);
		wt_json_number(json, "line", frame->line);
	}
	wt_json_end_object(json);
}

static int put_stack(struct wt_dump *dump, struct wt_view_segment *segment, uint32_t stack,
		     struct wt_json *json, struct wt_err *err)
{
	struct printer printer = {.file = dump->file, .json = json};
	uint8_t status;

	if (!stack || stack > segment->tables->n_stacks)
		return 0;
	status = segment->tables->stacks[stack - 1].status;
	wt_json_text(json, "stack_status",
		     wt_stack_status_names[status < WT_N_STACK_STATUSES ? status : WT_STACK_LOST]);
	wt_json_array(json, "stack");
	if (wt_view_each_frame(dump->file, segment, stack, put_frame, &printer, err))
		return -1;
	wt_json_end_array(json);
	return 0;
}

static void put_who(const struct wt_dump *dump, const struct wt_view_segment *segment,
		    const struct wt_log_batch *batch, uint32_t i, struct wt_json *json)
{
	uint32_t thread = batch->thread[i];

	wt_json_known(json, "cpu", batch->cpu[i], WT_CPU_NONE);
	member(dump->file, "process", segment->comm_of[thread], json);
	wt_json_known(json, "pid", dump->file->processes.rows[segment->process_of[thread]].number,
		      WT_VIEW_NO_NUMBER);
	member(dump->file, "thread", segment->name_of[thread], json);
	wt_json_known(json, "tid", batch->segment->threads[thread].tid, WT_VIEW_NO_NUMBER);
}

static void put_id(const char *name, const uint8_t *ids, uint32_t i, struct wt_json *json)
{
	if (ids && !wt_activity_is_none(ids + (size_t)i * WT_ACTIVITY_ID))
		wt_json_uuid(json, name, ids + (size_t)i * WT_ACTIVITY_ID);
}

int wt_dump_json(struct wt_dump *dump, const struct wt_log_batch *batch, uint32_t i, struct wt_buf *out,
		 struct wt_err *err)
{
	const struct wt_kind *kind = &batch->segment->kinds.kinds[batch->kind];
	struct wt_view_segment *segment;
	struct wt_json json = wt_json(out);

	if (wt_view_file_segment(dump->file, batch->segment, &segment, err))
		return -1;
	wt_json_object(&json, NULL);
	wt_json_signed(&json, "time", (int64_t)(batch->time[i] - dump->file->origin));
	if (dump->absolute && dump->clock)
		wt_json_number(&json, "realtime",
			       dump->clock->realtime + (batch->time[i] - dump->clock->raw));
	put_who(dump, segment, batch, i, &json);
	wt_json_text(&json, "provider", kind->provider->name);
	wt_json_text(&json, "event", kind->event->name);
	if (batch->self[i])
		wt_json_bool(&json, "recorder", true);
	if (batch->claimed[i])
		wt_json_bool(&json, "claimed", true);
	put_id("activity", batch->activity, i, &json);
	put_id("related", batch->related, i, &json);
	put_fields(dump->file, batch, i, &json);
	if (put_stack(dump, segment, batch->stack[i], &json, err))
		return -1;
	wt_json_end_document(&json);
	return 0;
}

void wt_dump_deinit(struct wt_dump *dump)
{
	wt_chains_deinit(&dump->chains);
}
