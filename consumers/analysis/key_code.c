/* SPDX-License-Identifier: MIT */
/* Ids of keys that name code: of frames, and of the stacks of events. */
#include "consumers/analysis/key.h"

#include <string.h>

#include "consumers/analysis/facts.h"

/* ---- code: by frame, remembered by stack ---- */

static uint32_t line_text(struct wt_view_file *file, const struct wt_view_frame *frame)
{
	struct wt_buf buf = {0};

	if (frame->file != WT_VIEW_NONE) {
		wt_buf_puts(&buf, wt_strings_get(&file->texts, frame->file, NULL));
		wt_buf_printf(&buf, ":%u", frame->line);
		return wt_view_buf_text(file, &buf);
	}
	wt_view_symbol_text(file, frame->symbol, &buf);
	if (frame->function != frame->module)
		wt_buf_puts(&buf, " (no line)");
	return wt_view_buf_text(file, &buf);
}

static uint32_t address_text(struct wt_view_file *file, const struct wt_view_segment *segment,
			     const struct wt_view_frame *named, uint32_t frame)
{
	struct wt_buf buf = {0};

	wt_buf_puts(&buf, wt_view_module_base(wt_strings_get(&file->texts, named->module, NULL)));
	if (frame < segment->tables->n_frames)
		wt_buf_printf(&buf, "+0x%llx", (unsigned long long)segment->tables->frames[frame].offset);
	return wt_view_buf_text(file, &buf);
}

static uint32_t symbol_text(struct wt_view_file *file, const struct wt_view_frame *frame)
{
	struct wt_buf buf = {0};

	wt_view_symbol_text(file, frame->symbol, &buf);
	return wt_view_buf_text(file, &buf);
}

static uint32_t base_text(struct wt_view_file *file, uint32_t module)
{
	size_t len;
	const char *path = wt_strings_get(&file->texts, module, &len), *base = wt_view_module_base(path);

	/* the table may move its bytes while it takes the copy */
	struct wt_buf buf = {0};

	wt_buf_put(&buf, base, len - (size_t)(base - path));
	return wt_view_buf_text(file, &buf);
}

static uint32_t code_id(struct wt_view_file *file, const struct wt_view_key *key,
			const struct wt_view_segment *segment, const struct wt_view_frame *named,
			uint32_t frame)
{
	bool filter = key->face == WT_FACE_FILTER;

	if (!named)
		return WT_VIEW_NONE;
	switch (key->what) {
	case WT_KEY_MODULE:
		return filter ? base_text(file, named->module) : named->module;
	case WT_KEY_LINE:
		return line_text(file, named);
	case WT_KEY_ADDRESS:
		return address_text(file, segment, named, frame);
	case WT_KEY_FUNCTION:
		return filter ? named->function : named->symbol;
	default:
		return filter ? symbol_text(file, named) : named->symbol;
	}
}

uint32_t wt_view_key_of_frame(struct wt_view_file *file, struct wt_view_key *key,
			      struct wt_view_segment *segment, uint32_t frame)
{
	return code_id(file, key, segment, wt_view_frame(file, segment, frame), frame);
}

uint32_t wt_view_key_of_nothing(struct wt_view_file *file, const struct wt_view_key *key,
				const struct wt_view_segment *segment)
{
	return code_id(file, key, segment, &file->no_frame, WT_VIEW_NONE);
}

static uint32_t status_text(struct wt_view_file *file, const struct wt_view_segment *segment, uint32_t stack)
{
	const struct wt_log_segment *tables = segment->tables;
	uint8_t status = stack && stack <= tables->n_stacks ? tables->stacks[stack - 1].status
							    : WT_STACK_NONE;
	const char *name = wt_stack_status_names[status < WT_N_STACK_STATUSES ? status : WT_STACK_LOST];

	return wt_view_text(file, name, strlen(name));
}

static uint32_t of_stack(struct wt_view_file *file, struct wt_view_key *key, struct wt_view_segment *segment,
			 uint32_t stack)
{
	uint32_t frame = WT_VIEW_NONE;

	if (key->what == WT_KEY_STACK_STATUS)
		return status_text(file, segment, stack);
	if (stack && stack <= segment->tables->n_stacks)
		frame = segment->tables->stacks[stack - 1].frame;
	return code_id(file, key, segment, wt_view_leaf(file, segment, stack), frame);
}

int wt_view_key_fill_code(struct wt_view_file *file, struct wt_view_key *key, struct wt_view_segment *segment,
			  const struct wt_log_batch *batch, uint32_t *ids, struct wt_err *err)
{
	uint32_t *memo;

	if (wt_view_resolve(file, segment, err))
		return -1;
	memo = wt_view_memo(file, segment, key->slot, segment->tables->n_stacks + 1);
	if (!memo)
		return wt_fail_nomem(err);
	for (uint32_t i = 0; i < batch->n; i++) {
		uint32_t stack = batch->stack[i], id = memo[stack];

		if (id == WT_VIEW_NONE) {
			id = memo[stack] = of_stack(file, key, segment, stack);
			if (id == WT_VIEW_NONE)
				return wt_fail_nomem(err);
		}
		ids[i] = id;
	}
	return 0;
}

uint32_t wt_view_key_of_self(const struct wt_view_file *file, const struct wt_view_key *key)
{
	switch (key->what) {
	case WT_KEY_PROCESS:
		return file->self_process;
	case WT_KEY_THREAD:
		return file->self_thread;
	case WT_KEY_COMM:
	case WT_KEY_THREAD_NAME:
	case WT_KEY_EXE:
	case WT_KEY_COMMAND_LINE:
		return file->self_text;
	default:
		if (!wt_view_key_is_code(key))
			return WT_VIEW_NONE;
		return key->domain == WT_DOMAIN_SYMBOL ? file->self_frame.symbol : file->self_text;
	}
}

uint32_t wt_view_key_of_unsampled(const struct wt_view_file *file, const struct wt_view_key *key)
{
	if (!wt_view_key_is_code(key))
		return WT_VIEW_NONE;
	return key->domain == WT_DOMAIN_SYMBOL ? file->unsampled_frame.symbol
					       : file->unsampled_frame.function;
}
