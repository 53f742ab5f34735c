// SPDX-License-Identifier: MIT
#include "consumers/export/perf_script.h"

#include <string.h>

#include "consumers/model/sample.h"

typedef unsigned long long ull;

struct script {
	struct wt_view_file *file;
	struct wt_view_select select;
	struct wt_view_filter filter; /* sampled events are chosen one by one */
	struct wt_view_segment *segment;
	struct wt_buf *out;
	uint32_t stack; /* whose frames come next */
};

static bool want(void *ctx, const struct wt_log_segment *segment, uint32_t kind)
{
	static const char *const silent[] = {"proc_thread", "loader", "wtrace"};
	const char *provider = segment->kinds.kinds[kind].provider->name;
	struct script *script = ctx;

	for (size_t i = 0; i < sizeof(silent) / sizeof(silent[0]); i++)
		if (!strcmp(provider, silent[i]))
			return false;
	return wt_view_select_want(&script->select, segment, kind);
}

static void put_text(struct script *script, uint32_t text)
{
	size_t len;
	const char *bytes = wt_strings_get(&script->file->texts, text, &len);

	wt_text_escape(script->out, bytes, len);
}

/* The name at the beginning of a line; readers find its end by the numbers that follow it. */
static void put_thread(struct script *script, uint32_t text)
{
	size_t from = script->out->len;

	put_text(script, text);
	if (script->out->len == from)
		wt_buf_put_u8(script->out, '_');
	wt_foreign_no_numbers(script->out, from);
}

/* Readers take the last " (" of a line as the beginning of the module, except for the one that says that
 * the file was deleted. */
static void hide_parentheses(struct wt_buf *out, size_t from)
{
	static const char deleted[] = " (deleted)";
	size_t n = sizeof(deleted) - 1, end = out->len;

	if (end - from > n && !memcmp(out->data + end - n, deleted, n))
		end -= n;
	for (size_t i = from + 1; i < end; i++)
		if (out->data[i] == '(' && out->data[i - 1] == ' ')
			out->data[i - 1] = '_';
}

/* The kernel gets perf's name for it. */
static void put_module(struct script *script, uint32_t module)
{
	const char *name = module == WT_VIEW_NONE ? "[unknown]"
						  : wt_strings_get(&script->file->texts, module, NULL);
	size_t from;

	if (!strcmp(name, "[kernel]"))
		name = "[kernel.kallsyms]";
	from = script->out->len;
	wt_text_escape(script->out, name, strlen(name));
	hide_parentheses(script->out, from);
}

/* As in perf, a mark takes the place of the module. */
static void put_inlined(struct script *script, uint32_t function)
{
	size_t len, from = script->out->len;
	const char *name = wt_strings_get(&script->file->texts, function, &len);

	wt_text_escape(script->out, name, len - (sizeof(WT_UNFOLDED_MARK) - 1));
	hide_parentheses(script->out, from);
	wt_buf_puts(script->out, WT_UNFOLDED_MARK "\n");
}

/* Called for the frames of script->stack, innermost first. */
static void put_frame(void *ctx, const struct wt_view_frame *frame, uint32_t index)
{
	const struct wt_log_segment *tables;
	struct script *script = ctx;
	uint32_t row;

	(void)index;
	tables = script->segment->tables;
	row = tables->stacks[script->stack - 1].frame;
	script->stack = tables->stacks[script->stack - 1].caller;
	wt_buf_printf(script->out, "\t%16llx ", row < tables->n_frames ? (ull)tables->frames[row].offset : 0);
	if (frame->inlined) {
		put_inlined(script, frame->function);
		return;
	}
	if (frame->reason == WT_RESOLVED) {
		put_text(script, frame->function);
		wt_buf_printf(script->out, "+0x%x", frame->offset);
	} else {
		wt_buf_puts(script->out, "[unknown]");
	}
	wt_buf_puts(script->out, " (");
	put_module(script, frame->module);
	wt_buf_puts(script->out, ")\n");
}

static void put_fields(struct script *script, const struct wt_log_batch *batch, uint32_t i)
{
	const struct wt_event_desc *event = batch->segment->kinds.kinds[batch->kind].event;

	for (uint32_t f = 0; f < event->n_fields; f++) {
		struct wt_value value;

		if (wt_log_value(batch, i, f, &value))
			continue;
		wt_buf_printf(script->out, " %s=", event->fields[f].name);
		if (value.field->type == WT_TYPE_STRING && !value.field->variable && value.field->count <= 1)
			wt_text_value(script->out, value.bytes, value.len);
		else
			wt_value_text(&value, script->out);
	}
}

/* PERIOD SOURCE of a sample, by the names of its fields. */
static void put_sample(struct script *script, const struct wt_log_batch *batch, uint32_t i)
{
	const struct wt_event_desc *event = batch->segment->kinds.kinds[batch->kind].event;
	int source = wt_event_field(event, "source"), period = wt_event_field(event, "period");
	struct wt_value value;

	wt_buf_printf(script->out, "%10llu ",
		      period >= 0 && batch->columns[period].values ? (ull)batch->columns[period].values[i]
								   : 0);
	if (source >= 0 && !wt_log_value(batch, i, (uint32_t)source, &value))
		wt_value_text(&value, script->out);
	wt_buf_puts(script->out, ":");
}

static void put_name(struct script *script, const struct wt_log_batch *batch, uint32_t i)
{
	const struct wt_kind *kind = &batch->segment->kinds.kinds[batch->kind];
	const char *provider = kind->provider->name;

	if (wt_view_is_sample(batch->segment, batch->kind)) {
		put_sample(script, batch, i);
		return;
	}
	wt_buf_printf(script->out, "%s:%s:", strncmp(provider, "linux:", 6) ? provider : provider + 6,
		      kind->event->name);
	put_fields(script, batch, i);
}

static int put_event(struct script *script, const struct wt_log_batch *batch, uint32_t i, struct wt_err *err)
{
	uint32_t thread = batch->thread[i];
	uint64_t us = batch->time[i] / 1000;

	if (wt_view_file_segment(script->file, batch->segment, &script->segment, err))
		return -1;
	put_thread(script, script->segment->name_of[thread]);
	/* perf also writes -1 for events of no process. */
	wt_buf_printf(script->out, " %d/%d ",
		      (int)script->file->processes.rows[script->segment->process_of[thread]].number,
		      (int)batch->segment->threads[thread].tid);
	if (batch->cpu[i] != WT_CPU_NONE)
		wt_buf_printf(script->out, "[%03u] ", batch->cpu[i]);
	wt_buf_printf(script->out, "%5llu.%06llu: ", (ull)(us / 1000000), (ull)(us % 1000000));
	put_name(script, batch, i);
	wt_buf_puts(script->out, "\n");
	script->stack = batch->stack[i];
	if (wt_view_each_frame(script->file, script->segment, batch->stack[i], put_frame, script, err))
		return -1;
	wt_buf_puts(script->out, "\n");
	return 0;
}

static int put_events(struct script *script, const struct wt_log_filter *range, struct wt_out *out,
		      struct wt_err *err)
{
	const struct wt_log_batch *batch;
	struct wt_log_iter *iter;
	uint32_t i;
	int rc;

	if (wt_log_iter_create(script->file->log, range, &iter, err))
		return -1;
	while (!(rc = wt_log_iter_next(iter, &batch, &i, err))) {
		uint8_t pass;

		if (wt_view_filter_one(&script->filter, batch, i, &pass, err) ||
		    (pass && (put_event(script, batch, i, err) || wt_out_flow(out, err)))) {
			rc = -1;
			break;
		}
	}
	wt_log_iter_destroy(iter);
	return rc < 0 ? -1 : 0;
}

int wt_perf_script(struct wt_log_reader *log, const struct wt_question *ask, struct wt_listener listener,
		   struct wt_out *out, struct wt_err *err)
{
	struct wt_view_options view = {.resolve = !ask->no_resolve, .no_inline = ask->no_inline};
	struct wt_view_file file;
	struct script script = {.file = &file, .select.file = &file, .filter.file = &file, .out = &out->buf};
	struct wt_log_filter range = {.want = want, .ctx = &script, .listener = listener};
	int rc = wt_view_file_init(&file, log, &view, err);

	if (!rc)
		rc = wt_question_filter(ask, &script.filter, &script.select, NULL, err) ||
		     wt_question_range(ask, &file, &range, err) || put_events(&script, &range, out, err);
	wt_view_select_deinit(&script.select);
	wt_view_filter_deinit(&script.filter);
	wt_view_file_deinit(&file);
	return rc ? -1 : 0;
}
