/* SPDX-License-Identifier: MIT */
#include "tools/view/dump.h"

#include <string.h>

typedef unsigned long long ull;

struct printer {
	struct wt_dump *dump;
	struct wt_buf *out;
};

static void escaped(const struct wt_view_file *file, uint32_t text, struct wt_buf *out)
{
	size_t len;
	const char *bytes = wt_strings_get(&file->texts, text, &len);

	wt_text_escape(out, bytes, len);
}

static void put_seconds(int64_t ns, struct wt_buf *out)
{
	uint64_t left = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;

	wt_buf_printf(out, "%s%llu.%09llu", ns < 0 ? "-" : "", (ull)(left / WT_NSEC), (ull)(left % WT_NSEC));
}

static void put_wall(struct wt_dump *dump, uint64_t time, struct wt_buf *out)
{
	uint64_t wall = dump->clock->realtime + (time - dump->clock->raw);
	time_t second = (time_t)(wall / WT_NSEC);
	struct tm tm;

	if (second != dump->second || !dump->second_text[0]) {
		dump->second = second;
		if (!localtime_r(&second, &tm) ||
		    !strftime(dump->second_text, sizeof(dump->second_text), "%Y-%m-%d %H:%M:%S", &tm))
			memcpy(dump->second_text, "?", 2);
	}
	wt_buf_printf(out, "%s.%09llu", dump->second_text, (ull)(wall % WT_NSEC));
}

static void put_time(struct wt_dump *dump, uint64_t time, struct wt_buf *out)
{
	size_t from = out->len;

	if (dump->absolute && dump->clock) {
		put_wall(dump, time, out);
		return;
	}
	put_seconds((int64_t)(time - dump->file->origin), out);
	for (size_t len = out->len - from; len < 15; len++)
		wt_buf_put_u8(out, ' ');
}

static void put_field(const struct wt_dump *dump, const struct wt_value *value, struct wt_buf *out)
{
	const struct wt_field *field = value->field;

	wt_buf_put_u8(out, ' ');
	wt_text_escape(out, field->name, strlen(field->name));
	wt_buf_put_u8(out, '=');
	if (field->type != WT_TYPE_TIME || field->variable || field->count > 1)
		wt_value_text(value, out);
	else if (value->u)
		put_seconds((int64_t)(value->u - dump->file->origin), out);
	else
		wt_buf_put_u8(out, '-');
}

static void put_frame(void *ctx, const struct wt_view_frame *frame, uint32_t index)
{
	struct printer *printer = ctx;
	const struct wt_view_file *file = printer->dump->file;

	wt_buf_puts(printer->out, index || printer->dump->stack ? "\n\t" : "  ");
	escaped(file, frame->function, printer->out);
	if (frame->function == frame->module)
		return;
	if (frame->reason == WT_RESOLVED)
		wt_buf_printf(printer->out, "+0x%x", frame->offset);
	wt_buf_put_u8(printer->out, ':');
	if (frame->module != WT_VIEW_NONE) {
		const char *module = wt_view_module_base(wt_strings_get(&file->texts, frame->module, NULL));

		wt_text_escape(printer->out, module, strlen(module));
	}
	if (frame->file != WT_VIEW_NONE && printer->dump->stack) {
		wt_buf_puts(printer->out, "  ");
		escaped(file, frame->file, printer->out);
		wt_buf_printf(printer->out, ":%u", frame->line);
	}
}

static int put_stack(struct wt_dump *dump, struct wt_view_segment *segment, uint32_t stack,
		     struct wt_buf *out, struct wt_err *err)
{
	struct printer printer = {.dump = dump, .out = out};
	const struct wt_view_frame *leaf;

	if (!stack)
		return 0;
	if (dump->stack)
		return wt_dump_each_frame(dump, segment, stack, put_frame, &printer, err);
	if (wt_view_resolve(dump->file, segment, err))
		return -1;
	leaf = wt_view_leaf(dump->file, segment, stack);
	if (!leaf)
		return wt_fail_nomem(err);
	put_frame(&printer, leaf, 0);
	return 0;
}

static void put_id(const char *name, const uint8_t *ids, uint32_t i, struct wt_buf *out)
{
	if (!ids || wt_activity_is_none(ids + (size_t)i * WT_ACTIVITY_ID))
		return;
	wt_buf_printf(out, " [%s ", name);
	wt_uuid_text(ids + (size_t)i * WT_ACTIVITY_ID, out);
	wt_buf_put_u8(out, ']');
}

int wt_dump_text(struct wt_dump *dump, const struct wt_log_batch *batch, uint32_t i, struct wt_buf *out,
		 struct wt_err *err)
{
	const struct wt_kind *kind = &batch->segment->kinds.kinds[batch->kind];
	uint32_t thread = batch->thread[i];
	struct wt_view_segment *segment;

	if (wt_view_file_segment(dump->file, batch->segment, &segment, err))
		return -1;
	put_time(dump, batch->time[i], out);
	if (batch->cpu[i] == WT_CPU_NONE)
		wt_buf_puts(out, " [ - ] ");
	else
		wt_buf_printf(out, " [%03u] ", batch->cpu[i]);
	escaped(dump->file, segment->comm_of[thread], out);
	wt_buf_printf(out, "(%u)/%u ", dump->file->processes.rows[segment->process_of[thread]].number,
		      batch->segment->threads[thread].tid);
	wt_text_escape(out, kind->provider->name, strlen(kind->provider->name));
	wt_buf_put_u8(out, '/');
	wt_text_escape(out, kind->event->name, strlen(kind->event->name));
	if (batch->self[i])
		wt_buf_puts(out, " [recorder]");
	for (uint32_t f = 0; f < kind->event->n_fields; f++) {
		struct wt_value value;

		if (!wt_log_value(batch, i, f, &value))
			put_field(dump, &value, out);
	}
	put_id("activity", batch->activity, i, out);
	put_id("related", batch->related, i, out);
	if (put_stack(dump, segment, batch->stack[i], out, err))
		return -1;
	wt_buf_put_u8(out, '\n');
	return 0;
}
