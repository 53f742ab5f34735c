/* SPDX-License-Identifier: MIT */
/* Events as lines of JSON. */
#include "tools/view/dump.h"

#include <string.h>

#include "consumers/analysis/facts.h"

typedef unsigned long long ull;

struct printer {
	const struct wt_view_file *file;
	struct wt_buf *out;
};

static void string(const char *text, struct wt_buf *out)
{
	wt_json_string(out, text, strlen(text));
}

/* Stacks are most of the output: their numbers do not go through printf. */
static void number(uint64_t v, struct wt_buf *out)
{
	char digits[20];
	size_t n = sizeof(digits);

	do
		digits[--n] = (char)('0' + v % 10);
	while (v /= 10);
	wt_buf_put(out, digits + n, sizeof(digits) - n);
}

static void member(const struct wt_view_file *file, const char *name, uint32_t text, struct wt_buf *out)
{
	size_t len;
	const char *bytes = wt_strings_get(&file->texts, text, &len);

	wt_buf_put(out, ",\"", 2);
	wt_buf_puts(out, name);
	wt_buf_put(out, "\":", 2);
	wt_json_string(out, bytes, len);
}

static void put_field(const struct wt_view_file *file, const struct wt_value *value, struct wt_buf *out)
{
	const struct wt_field *field = value->field;

	string(field->name, out);
	wt_buf_put_u8(out, ':');
	if (field->type != WT_TYPE_TIME || field->variable || field->count > 1)
		wt_value_json(value, out);
	else if (value->u)
		wt_buf_printf(out, "%lld", (long long)(value->u - file->origin));
	else
		wt_buf_puts(out, "null");
}

static void put_fields(const struct wt_view_file *file, const struct wt_log_batch *batch, uint32_t i,
		       struct wt_buf *out)
{
	const struct wt_event_desc *event = batch->segment->kinds.kinds[batch->kind].event;
	const char *before = "";

	wt_buf_puts(out, ",\"fields\":{");
	for (uint32_t f = 0; f < event->n_fields; f++) {
		struct wt_value value;

		if (wt_log_value(batch, i, f, &value))
			continue;
		wt_buf_puts(out, before);
		put_field(file, &value, out);
		before = ",";
	}
	wt_buf_put_u8(out, '}');
}

static void put_frame(void *ctx, const struct wt_view_frame *frame, uint32_t index)
{
	struct printer *printer = ctx;
	const struct wt_view_file *file = printer->file;
	struct wt_buf *out = printer->out;

	wt_buf_puts(out, index ? ",{\"offset\":" : "{\"offset\":");
	number(frame->offset, out);
	if (frame->reason == WT_RESOLVED)
		member(file, "function", frame->function, out);
	else
		wt_buf_printf(out, ",\"unresolved\":\"%s\"",
			      wt_frame_reason_names[frame->reason % WT_N_FRAME_REASONS]);
	member(file, "module", frame->module, out);
	if (frame->file != WT_VIEW_NONE) {
		member(file, "file", frame->file, out);
		wt_buf_puts(out, ",\"line\":");
		number(frame->line, out);
	}
	wt_buf_put_u8(out, '}');
}

static int put_stack(struct wt_dump *dump, struct wt_view_segment *segment, uint32_t stack,
		     struct wt_buf *out, struct wt_err *err)
{
	struct printer printer = {.file = dump->file, .out = out};
	uint8_t status;

	if (!stack || stack > segment->tables->n_stacks)
		return 0;
	status = segment->tables->stacks[stack - 1].status;
	wt_buf_printf(out, ",\"stack_status\":\"%s\",\"stack\":[",
		      wt_stack_status_names[status < WT_N_STACK_STATUSES ? status : WT_STACK_LOST]);
	if (wt_dump_each_frame(dump, segment, stack, put_frame, &printer, err))
		return -1;
	wt_buf_put_u8(out, ']');
	return 0;
}

static void put_who(const struct wt_dump *dump, const struct wt_view_segment *segment,
		    const struct wt_log_batch *batch, uint32_t i, struct wt_buf *out)
{
	uint32_t thread = batch->thread[i];

	if (batch->cpu[i] == WT_CPU_NONE)
		wt_buf_puts(out, ",\"cpu\":null");
	else
		wt_buf_printf(out, ",\"cpu\":%u", batch->cpu[i]);
	member(dump->file, "process", segment->comm_of[thread], out);
	wt_buf_printf(out, ",\"pid\":%u", dump->file->processes.rows[segment->process_of[thread]].number);
	member(dump->file, "thread", segment->name_of[thread], out);
	wt_buf_printf(out, ",\"tid\":%u", batch->segment->threads[thread].tid);
}

static void put_id(const char *name, const uint8_t *ids, uint32_t i, struct wt_buf *out)
{
	if (!ids || wt_activity_is_none(ids + (size_t)i * WT_ACTIVITY_ID))
		return;
	wt_buf_printf(out, ",\"%s\":\"", name);
	wt_uuid_text(ids + (size_t)i * WT_ACTIVITY_ID, out);
	wt_buf_put_u8(out, '"');
}

int wt_dump_json(struct wt_dump *dump, const struct wt_log_batch *batch, uint32_t i, struct wt_buf *out,
		 struct wt_err *err)
{
	const struct wt_kind *kind = &batch->segment->kinds.kinds[batch->kind];
	struct wt_view_segment *segment;

	if (wt_view_file_segment(dump->file, batch->segment, &segment, err))
		return -1;
	wt_buf_printf(out, "{\"time\":%lld", (long long)(batch->time[i] - dump->file->origin));
	if (dump->absolute && dump->clock)
		wt_buf_printf(out, ",\"realtime\":%llu",
			      (ull)(dump->clock->realtime + (batch->time[i] - dump->clock->raw)));
	put_who(dump, segment, batch, i, out);
	wt_buf_puts(out, ",\"provider\":");
	string(kind->provider->name, out);
	wt_buf_puts(out, ",\"event\":");
	string(kind->event->name, out);
	if (batch->self[i])
		wt_buf_puts(out, ",\"recorder\":true");
	if (batch->claimed[i])
		wt_buf_puts(out, ",\"claimed\":true");
	put_id("activity", batch->activity, i, out);
	put_id("related", batch->related, i, out);
	put_fields(dump->file, batch, i, out);
	if (put_stack(dump, segment, batch->stack[i], out, err))
		return -1;
	wt_buf_puts(out, "}\n");
	return 0;
}
