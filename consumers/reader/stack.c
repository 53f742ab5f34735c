// SPDX-License-Identifier: MIT
/* The stack of an event, and frames with names that end with a zero. */
#include <stdlib.h>
#include <string.h>

#include "consumers/reader/impl.h"
#include "tracecore/logfmt/format/inlined.h"

/* ---- the frames of an event ---- */

static struct wtr_frame *frames_of(struct wtr_part *part)
{
	const struct wt_log_segment *tables = part->tables;

	if (part->frames)
		return part->frames;
	part->frames = calloc(tables->n_frames + (size_t)1, sizeof(*part->frames));
	for (uint32_t i = 0; part->frames && i < tables->n_frames; i++)
		part->frames[i] = (struct wtr_frame){.part = part, .id = i};
	return part->frames;
}

static uint32_t stack_of(const struct wtr_event *event)
{
	uint32_t stack = event->batch->stack[event->index];

	return stack <= event->part->tables->n_stacks ? stack : 0;
}

/* Lists the frames of the event's stack, unless this stack was listed last. */
static int list_frames(const struct wtr_event *event)
{
	struct wtr_cursor *cursor = event->cursor;
	const struct wt_log_segment *tables = event->part->tables;
	uint32_t stack = stack_of(event);
	struct wtr_frame *frames = frames_of(event->part);

	if (cursor->stack_part == event->part && cursor->stack == stack)
		return 0;
	if (!cursor->frames)
		cursor->frames = calloc(WT_MAX_FRAMES, sizeof(struct wtr_frame *));
	if (!frames || !cursor->frames)
		return -1;
	cursor->stack_part = event->part;
	cursor->stack = stack;
	cursor->depth = 0;
	while (stack && cursor->depth < WT_MAX_FRAMES) {
		const struct wt_log_stack *node = &tables->stacks[stack - 1];

		if (node->frame >= tables->n_frames)
			break;
		frames[node->frame].kernel = node->kernel;
		cursor->frames[cursor->depth++] = &frames[node->frame];
		stack = node->caller < stack ? node->caller : 0;
	}
	return 0;
}

uint32_t wtr_stack_depth(const struct wtr_event *event)
{
	return list_frames(event) ? 0 : event->cursor->depth;
}

enum wtr_stack_status wtr_stack_status(const struct wtr_event *event)
{
	uint32_t stack = stack_of(event);

	return stack ? (enum wtr_stack_status)event->part->tables->stacks[stack - 1].status : WTR_STACK_NONE;
}

_Static_assert((int)WTR_STACK_COMPLETED == (int)WT_STACK_COMPLETED &&
		       (int)WTR_STACK_WAITED == (int)WT_STACK_WAITED &&
		       (int)WTR_STACK_WAITED == WT_N_STACK_STATUSES - 1,
	       "statuses have the numbers of the format");

const char *wtr_stack_status_name(enum wtr_stack_status status)
{
	return (unsigned)status < WT_N_STACK_STATUSES ? wt_stack_status_names[status] : "of a newer version";
}

const struct wtr_frame *wtr_stack_frame(const struct wtr_event *event, uint32_t i)
{
	return list_frames(event) || i >= event->cursor->depth ? NULL : event->cursor->frames[i];
}

/* ---- names ---- */

static const char *keep(struct wtr_frame *frame, struct wt_str text)
{
	return text.len ? wt_arena_copy(&frame->part->arena, text.p, text.len) : NULL;
}

static void take(struct wtr_frame *frame, const struct wt_frame_name *name)
{
	frame->named = true;
	frame->reason = name->reason;
	frame->module = keep(frame, name->module);
	if (name->reason == WT_RESOLVED) {
		frame->function = keep(frame, name->function);
		frame->symbol = keep(frame, name->raw);
		frame->function_offset = name->offset;
	}
	frame->file = keep(frame, name->file);
	frame->line = frame->file ? name->line : 0;
}

/* Looks the name up in this machine's files. false: it was not found. */
static bool look_up(const struct wtr_frame *frame, struct wt_log_symbol *ret)
{
	struct wtr_trace *trace = frame->part->file->trace;
	const struct wt_log_segment *tables = frame->part->tables;

	return trace->how != WTR_SYMBOLS_LOG && wt_frame_wants_local(tables, frame->id, trace->here.lines) &&
	       !wt_here_enter(&trace->here, tables, NULL) &&
	       !wt_here_look_up(&trace->here, tables, &frame->id, 1, ret, NULL);
}

static void take_inlined(struct wtr_frame *frame, const struct wt_log_symbol *symbol)
{
	struct wt_cursor chain = wt_log_inlined_begin(symbol);
	uint32_t n = wt_log_inlined_count(symbol);
	struct wt_log_inlined call;

	frame->inlined = n ? calloc(n, sizeof(*frame->inlined)) : NULL;
	while (frame->inlined && frame->n_inlined < n && wt_log_inlined_next(&chain, &call)) {
		const char *function = keep(frame, call.function);

		frame->inlined[frame->n_inlined++] = (struct wtr_inlined){
			.function = function ? function : "",
			.file = keep(frame, call.file),
			.line = call.file.len ? call.line : 0,
		};
	}
}

static struct wtr_frame *named(const struct wtr_frame *frame)
{
	struct wtr_frame *own = &frame->part->frames[frame->id];
	const struct wt_log_segment *tables = frame->part->tables;
	struct wt_log_symbol here = {0};
	const struct wt_log_symbol *symbol;
	struct wt_frame_name name;

	if (own->named)
		return own;
	symbol = look_up(own, &here) ? &here : wt_frame_log_symbol(tables, frame->id);
	name = wt_frame_name(tables, frame->id, symbol);
	take(own, &name);
	take_inlined(own, symbol);
	return own;
}

int wtr_frame_is_kernel(const struct wtr_frame *frame)
{
	return frame->kernel;
}

const char *wtr_frame_module(const struct wtr_frame *frame)
{
	const char *module = named(frame)->module;

	return module ? module : "";
}

uint64_t wtr_frame_offset(const struct wtr_frame *frame)
{
	return frame->part->tables->frames[frame->id].offset;
}

size_t wtr_frame_build_id(const struct wtr_frame *frame, const uint8_t **ret)
{
	struct wt_str id = wt_frame_image(frame->part->tables, frame->id)->build_id;

	*ret = (const uint8_t *)id.p;
	return id.len;
}

const char *wtr_frame_function(const struct wtr_frame *frame)
{
	return named(frame)->function;
}

const char *wtr_frame_symbol(const struct wtr_frame *frame)
{
	const struct wtr_frame *own = named(frame);

	return own->symbol ? own->symbol : own->function;
}

uint32_t wtr_frame_function_offset(const struct wtr_frame *frame)
{
	return named(frame)->function_offset;
}

const char *wtr_frame_file(const struct wtr_frame *frame)
{
	return named(frame)->file;
}

uint32_t wtr_frame_line(const struct wtr_frame *frame)
{
	return named(frame)->line;
}

static const struct wtr_inlined *inlined_at(const struct wtr_frame *frame, uint32_t i)
{
	const struct wtr_frame *own = named(frame);

	return i < own->n_inlined ? &own->inlined[i] : NULL;
}

uint32_t wtr_frame_n_inlined(const struct wtr_frame *frame)
{
	return named(frame)->n_inlined;
}

const char *wtr_frame_inlined_function(const struct wtr_frame *frame, uint32_t i)
{
	const struct wtr_inlined *call = inlined_at(frame, i);

	return call ? call->function : NULL;
}

const char *wtr_frame_inlined_call_file(const struct wtr_frame *frame, uint32_t i)
{
	const struct wtr_inlined *call = inlined_at(frame, i);

	return call ? call->file : NULL;
}

uint32_t wtr_frame_inlined_call_line(const struct wtr_frame *frame, uint32_t i)
{
	const struct wtr_inlined *call = inlined_at(frame, i);

	return call ? call->line : 0;
}

const char *wtr_frame_reason(const struct wtr_frame *frame)
{
	uint8_t reason = named(frame)->reason;

	return reason < WT_N_FRAME_REASONS ? wt_frame_reason_names[reason] : "of a newer version";
}
