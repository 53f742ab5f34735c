/* SPDX-License-Identifier: MIT */
#include "consumers/export/dump.h"

#include <string.h>

#include "consumers/model/field.h"
#include "consumers/export/duration.h"

#include "tracecore/base/digits.h"

/* Memos by segment. */
enum { MEMO_THREADS, MEMO_KINDS, N_MEMOS };

static void escaped(const struct wt_view_file *file, uint32_t text, struct wt_buf *out)
{
	size_t len;
	const char *bytes = wt_strings_get(&file->texts, text, &len);

	wt_text_escape(out, bytes, len);
}

/* A point and nine digits. */
static void put_fraction(uint64_t ns, struct wt_buf *out)
{
	char digits[10] = ".000000000";

	for (size_t i = sizeof(digits); ns; ns /= 10)
		digits[--i] = (char)('0' + ns % 10);
	wt_buf_put(out, digits, sizeof(digits));
}

static void put_seconds(int64_t ns, struct wt_buf *out)
{
	uint64_t left = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;

	if (ns < 0)
		wt_buf_put_u8(out, '-');
	wt_buf_put_dec(out, left / WT_NSEC);
	put_fraction(left % WT_NSEC, out);
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
	wt_buf_puts(out, dump->second_text);
	put_fraction(wall % WT_NSEC, out);
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

static void put_cpu(uint32_t cpu, struct wt_buf *out)
{
	char digits[WT_DIGITS_MAX];

	if (cpu == WT_CPU_NONE) {
		wt_buf_puts(out, " [ - ] ");
		return;
	}
	wt_buf_put(out, " [", 2);
	wt_buf_put(out, digits, wt_digits(digits, cpu, 10, 3));
	wt_buf_put(out, "] ", 2);
}

/* ---- text shared by many lines: made once, kept as texts of the file ---- */

static void put_task(uint32_t id, struct wt_buf *out)
{
	if (id == UINT32_MAX)
		wt_buf_put_u8(out, '-');
	else
		wt_buf_put_dec(out, id);
}

/* "make(12)/13 ": no name ends in a number in parentheses. */
static uint32_t who_text(struct wt_dump *dump, const struct wt_view_segment *segment, uint32_t thread)
{
	struct wt_buf text = {0};

	escaped(dump->file, segment->comm_of[thread], &text);
	for (size_t i = 1; i < text.len; i++)
		if (text.data[i - 1] == '(' && text.data[i] >= '0' && text.data[i] <= '9')
			text.data[i - 1] = '[';
	wt_buf_put_u8(&text, '(');
	put_task(dump->file->processes.rows[segment->process_of[thread]].number, &text);
	wt_buf_puts(&text, ")/");
	put_task(segment->tables->threads[thread].tid, &text);
	wt_buf_put_u8(&text, ' ');
	return wt_view_buf_text(dump->file, &text);
}

/* Appends words to a list of counted texts: u16 length, bytes. */
static void put_label(struct wt_buf *list, const char *before, const char *name, const char *after)
{
	struct wt_buf text = {0};

	wt_buf_puts(&text, before);
	wt_text_escape(&text, name, strlen(name));
	wt_buf_puts(&text, after);
	wt_buf_put_counted(list, text.data, text.len);
	list->failed |= text.failed;
	wt_buf_deinit(&text);
}

/* The labels of a kind's line in sequence: provider/, event, then " field=" for each field. */
static uint32_t kind_labels(struct wt_dump *dump, const struct wt_kind *kind)
{
	struct wt_buf list = {0};

	put_label(&list, "", kind->provider->name, "/");
	put_label(&list, "", kind->event->name, "");
	for (uint32_t f = 0; f < kind->event->n_fields; f++)
		put_label(&list, " ", kind->event->fields[f].name, "=");
	return wt_view_buf_text(dump->file, &list);
}

/* Returns a memo of the segment; NULL when memory is out. */
static uint32_t *shared(struct wt_dump *dump, struct wt_view_segment *segment, uint32_t which, uint32_t n)
{
	if (!dump->has_slots) {
		dump->slots = dump->file->n_slots;
		dump->file->n_slots += N_MEMOS;
		dump->has_slots = true;
	}
	return wt_view_memo(dump->file, segment, dump->slots + which, n);
}

static int put_who(struct wt_dump *dump, struct wt_view_segment *segment, uint32_t thread, struct wt_buf *out,
		   struct wt_err *err)
{
	uint32_t *memo = shared(dump, segment, MEMO_THREADS, segment->tables->n_threads);
	const char *text;
	size_t len;

	if (memo && memo[thread] == WT_VIEW_NONE)
		memo[thread] = who_text(dump, segment, thread);
	if (!memo || memo[thread] == WT_VIEW_NONE)
		return wt_fail_nomem(err);
	text = wt_strings_get(&dump->file->texts, memo[thread], &len);
	wt_buf_put(out, text, len);
	return 0;
}

/* Returns NULL when memory is out. Valid until a text is added. */
static const uint8_t *labels_of(struct wt_dump *dump, struct wt_view_segment *segment, uint32_t kind)
{
	uint32_t *memo = shared(dump, segment, MEMO_KINDS, segment->tables->kinds.n);

	if (memo && memo[kind] == WT_VIEW_NONE)
		memo[kind] = kind_labels(dump, &segment->tables->kinds.kinds[kind]);
	if (!memo || memo[kind] == WT_VIEW_NONE)
		return NULL;
	return (const uint8_t *)wt_strings_get(&dump->file->texts, memo[kind], NULL);
}

static const uint8_t *next_label(const uint8_t *label, struct wt_buf *out)
{
	uint16_t len = wt_load_u16(label);

	if (out)
		wt_buf_put(out, label + 2, len);
	return label + 2 + len;
}

/* ---- fields ---- */

static bool is_duration(const struct wt_field *field)
{
	return field->unit && !strcmp(field->unit, "ns") && field->type <= WT_TYPE_I64 && !field->map &&
	       !field->variable && field->count <= 1;
}

/* True for numbers shown as plain decimal digits, which most fields are. */
static bool is_plain(const struct wt_field *field)
{
	return field->type <= WT_TYPE_I64 && field->radix == WT_RADIX_DEC && !field->map &&
	       !is_duration(field) && !(field->unit && !strcmp(field->unit, WT_UNIT_DEVICE));
}

static void put_plain(const struct wt_log_batch *batch, uint32_t f, uint32_t i, struct wt_buf *out)
{
	const struct wt_log_column *column = &batch->columns[f];
	uint64_t v = column->values[i];

	if (v == WT_VIEW_NO_NUMBER && wt_view_field_has_none(batch->segment, batch->kind, column->field)) {
		wt_buf_puts(out, "none");
		return;
	}
	if (wt_type_is_signed(column->field->type) && (int64_t)v < 0) {
		wt_buf_put_u8(out, '-');
		v = -v;
	}
	wt_buf_put_dec(out, v);
}

static void put_value(const struct wt_dump *dump, const struct wt_value *value, struct wt_buf *out)
{
	const struct wt_field *field = value->field;

	if (field->type == WT_TYPE_STRING && !field->variable && field->count <= 1)
		wt_text_value(out, value->bytes, value->len);
	else if (is_duration(field))
		wt_duration_text(
			wt_type_is_signed(field->type) ? (double)(int64_t)value->u : (double)value->u, out);
	else if (field->type != WT_TYPE_TIME || field->variable || field->count > 1)
		wt_value_text(value, out);
	else if (value->u)
		put_seconds((int64_t)(value->u - dump->file->origin), out);
	else
		wt_buf_put_u8(out, '-');
}

static void put_fields(const struct wt_dump *dump, const struct wt_log_batch *batch, uint32_t i,
		       const uint8_t *label, struct wt_buf *out)
{
	uint32_t n = batch->segment->kinds.kinds[batch->kind].event->n_fields;

	for (uint32_t f = 0; f < n; f++) {
		const struct wt_log_column *column = &batch->columns[f];
		struct wt_value value;

		if (column->values && is_plain(column->field)) {
			label = next_label(label, out);
			put_plain(batch, f, i, out);
		} else if (wt_log_value(batch, i, f, &value)) {
			label = next_label(label, NULL);
		} else {
			label = next_label(label, out);
			put_value(dump, &value, out);
		}
	}
}

/* ---- the stack ---- */

static void put_str(struct wt_str text, struct wt_buf *out)
{
	wt_text_escape(out, text.p, text.len);
}

static bool same(struct wt_str a, struct wt_str b)
{
	return a.len == b.len && !memcmp(a.p, b.p, a.len);
}

/* "function+0x12:module", with source also "  file:line" */
static void describe(const struct wt_frame_name *frame, bool source, struct wt_buf *out)
{
	put_str(frame->function, out);
	if (same(frame->function, frame->module))
		return;
	if (frame->reason == WT_RESOLVED) {
		wt_buf_put(out, "+0x", 3);
		wt_buf_put_hex(out, frame->offset, 1);
	}
	wt_buf_put_u8(out, ':');
	put_str(wt_view_module_end(frame->module), out);
	if (frame->file.len && source) {
		wt_buf_put(out, "  ", 2);
		put_str(frame->file, out);
		wt_buf_put_u8(out, ':');
		wt_buf_put_dec(out, frame->line);
	}
}

static void put_frame(void *ctx, struct wt_view_segment *segment, uint32_t stack, bool first,
		      struct wt_buf *out)
{
	const struct wt_dump *dump = ctx;
	struct wt_frame_name name = wt_view_leaf_name(dump->file, segment, stack);

	(void)first;
	wt_buf_put(out, dump->stack ? "\n\t" : "  ", 2);
	describe(&name, dump->stack, out);
}

static int put_stack(struct wt_dump *dump, struct wt_view_segment *segment, uint32_t stack,
		     struct wt_buf *out, struct wt_err *err)
{
	if (!stack || stack > segment->tables->n_stacks)
		return 0;
	if (wt_view_resolve(dump->file, segment, err))
		return -1;
	if (dump->stack)
		return wt_chains_put(&dump->chains, dump->file, segment, stack, put_frame, dump, out, err);
	put_frame(dump, segment, stack, true, out);
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
	struct wt_view_segment *segment;
	const uint8_t *label;

	if (wt_view_file_segment(dump->file, batch->segment, &segment, err))
		return -1;
	put_time(dump, batch->time[i], out);
	put_cpu(batch->cpu[i], out);
	if (put_who(dump, segment, batch->thread[i], out, err))
		return -1;
	label = labels_of(dump, segment, batch->kind);
	if (!label)
		return wt_fail_nomem(err);
	label = next_label(next_label(label, out), out);
	if (batch->self[i])
		wt_buf_puts(out, " [recorder]");
	if (batch->claimed[i])
		wt_buf_puts(out, " [as claimed]");
	put_fields(dump, batch, i, label, out);
	put_id("activity", batch->activity, i, out);
	put_id("related", batch->related, i, out);
	if (dump->stack)
		wt_chains_expect(batch, i);
	if (put_stack(dump, segment, batch->stack[i], out, err))
		return -1;
	wt_buf_put_u8(out, '\n');
	return 0;
}
