// SPDX-License-Identifier: MIT
#include "consumers/model/unfold.h"

#include <stdlib.h>
#include <string.h>

#include "tracecore/logfmt/format/inlined.h"

/* Limits against damaged logs: no compiler makes more frames and stacks for each one of the log, with a few
 * more for small logs. */
enum { TIMES = 8, FEW = 1 << 20 };

enum { MARK_BYTES = sizeof(WT_UNFOLDED_MARK) - 1 };

/* The tables in progress: their final sizes, and the next free places. */
struct unfolding {
	const struct wt_log_segment *from;
	struct wt_unfolded *to;
	uint32_t *first; /**< by frame: the first of its inlined frames, innermost first; 0: none */
	uint8_t *depth;  /**< by frame: the number of its inlined frames */
	uint32_t n_frames, n_stacks;
	size_t name_bytes, names_len;
};

static uint32_t most(uint32_t n)
{
	uint64_t sum = (uint64_t)n * TIMES + FEW;

	return sum > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)sum;
}

static size_t bytes_of_names(const struct wt_log_symbol *symbol)
{
	struct wt_cursor chain = wt_log_inlined_begin(symbol);
	struct wt_log_inlined call;
	size_t bytes = 0;

	for (uint32_t i = 0; i < WT_LOG_INLINED_MAX && wt_log_inlined_next(&chain, &call); i++)
		bytes += call.function.len + (size_t)MARK_BYTES;
	return bytes;
}

/* Gives frames with a chain the ids for their inlined frames. */
static void count_frames(struct unfolding *unfolding)
{
	const struct wt_log_segment *from = unfolding->from;

	unfolding->n_frames = from->n_frames;
	for (uint32_t i = 0; i < from->n_frames; i++) {
		uint32_t n = wt_log_inlined_count(&from->symbols[i]);

		if (!n)
			continue;
		if (unfolding->n_frames + n > most(from->n_frames)) {
			unfolding->to->cut = true;
			continue;
		}
		unfolding->first[i] = unfolding->n_frames;
		unfolding->depth[i] = (uint8_t)n;
		unfolding->n_frames += n;
		unfolding->name_bytes += bytes_of_names(&from->symbols[i]);
	}
}

static void count_stacks(struct unfolding *unfolding)
{
	const struct wt_log_segment *from = unfolding->from;
	uint64_t n = from->n_stacks;

	for (uint32_t i = 0; i < from->n_stacks; i++)
		if (from->stacks[i].frame < from->n_frames)
			n += unfolding->depth[from->stacks[i].frame];
	unfolding->to->cut |= n > most(from->n_stacks);
	unfolding->n_stacks = n > most(from->n_stacks) ? most(from->n_stacks) : (uint32_t)n;
}

static int make_room(struct unfolding *unfolding, struct wt_err *err)
{
	struct wt_unfolded *to = unfolding->to;

	to->frames = malloc(((size_t)unfolding->n_frames + 1) * sizeof(*to->frames));
	to->symbols = malloc(((size_t)unfolding->n_frames + 1) * sizeof(*to->symbols));
	to->stacks = malloc(((size_t)unfolding->n_stacks + 1) * sizeof(*to->stacks));
	to->outer = malloc(((size_t)unfolding->n_frames - unfolding->from->n_frames + 1) *
			   sizeof(*to->outer));
	to->names = malloc(unfolding->name_bytes + 1);
	return to->frames && to->symbols && to->stacks && to->outer && to->names ? 0 : wt_fail_nomem(err);
}

static struct wt_str marked_name(struct unfolding *unfolding, struct wt_str function)
{
	char *to = unfolding->to->names + unfolding->names_len;

	memcpy(to, function.p, function.len);
	memcpy(to + function.len, WT_UNFOLDED_MARK, MARK_BYTES);
	unfolding->names_len += function.len + (size_t)MARK_BYTES;
	return (struct wt_str){to, function.len + MARK_BYTES};
}

/* Makes the inlined frames of a frame. The frame itself keeps the place of the outermost call. */
static void unfold_frame(struct unfolding *unfolding, uint32_t frame)
{
	struct wt_log_symbol *symbols = unfolding->to->symbols, *own = &symbols[frame];
	struct wt_cursor chain = wt_log_inlined_begin(own);
	struct wt_str file = own->file;
	uint32_t line = own->line;
	struct wt_log_inlined call;

	for (uint32_t i = 0; i < unfolding->depth[frame] && wt_log_inlined_next(&chain, &call); i++) {
		uint32_t at = unfolding->first[frame] + i;

		unfolding->to->frames[at] = unfolding->from->frames[frame];
		unfolding->to->outer[at - unfolding->from->n_frames] = frame;
		symbols[at] = (struct wt_log_symbol){.name = marked_name(unfolding, call.function),
						     .raw_name = wt_str(""),
						     .file = file,
						     .line = line,
						     .inlined = own->inlined};
		file = call.file;
		line = call.line;
	}
	own->file = file;
	own->line = line;
}

static void unfold_frames(struct unfolding *unfolding)
{
	const struct wt_log_segment *from = unfolding->from;

	memcpy(unfolding->to->frames, from->frames, from->n_frames * sizeof(*from->frames));
	memcpy(unfolding->to->symbols, from->symbols, from->n_frames * sizeof(*from->symbols));
	for (uint32_t i = 0; i < from->n_frames; i++)
		if (unfolding->depth[i])
			unfold_frame(unfolding, i);
}

/* Makes a stack that ends in its innermost function; the new stacks behind it lead to its caller. */
static void unfold_stack(struct unfolding *unfolding, uint32_t index, uint32_t *next)
{
	struct wt_log_stack *stacks = unfolding->to->stacks, *stack = &stacks[index];
	uint32_t frame = stack->frame, caller = stack->caller, depth = unfolding->depth[frame];

	if (*next + depth > unfolding->n_stacks)
		return;
	stack->frame = unfolding->first[frame];
	stack->caller = *next + 1;
	for (uint32_t i = 1; i <= depth; i++, ++*next) {
		stacks[*next] = *stack;
		stacks[*next].frame = i < depth ? unfolding->first[frame] + i : frame;
		stacks[*next].caller = i < depth ? *next + 2 : caller;
	}
}

static void unfold_stacks(struct unfolding *unfolding)
{
	const struct wt_log_segment *from = unfolding->from;
	uint32_t next = from->n_stacks;

	memcpy(unfolding->to->stacks, from->stacks, from->n_stacks * sizeof(*from->stacks));
	for (uint32_t i = 0; i < from->n_stacks; i++)
		if (from->stacks[i].frame < from->n_frames && unfolding->depth[from->stacks[i].frame])
			unfold_stack(unfolding, i, &next);
	unfolding->n_stacks = next;
}

static int unfold(struct unfolding *unfolding, struct wt_err *err)
{
	struct wt_log_segment *segment = &unfolding->to->segment;

	count_stacks(unfolding);
	if (make_room(unfolding, err))
		return -1;
	unfold_frames(unfolding);
	unfold_stacks(unfolding);
	*segment = *unfolding->from;
	segment->frames = unfolding->to->frames;
	segment->symbols = unfolding->to->symbols;
	segment->stacks = unfolding->to->stacks;
	segment->n_frames = unfolding->n_frames;
	segment->n_stacks = unfolding->n_stacks;
	return 0;
}

bool wt_unfold(const struct wt_log_segment *tables, struct wt_unfolded *ret, bool *failed, struct wt_err *err)
{
	struct unfolding unfolding = {.from = tables, .to = ret};
	bool any = false;

	*ret = (struct wt_unfolded){0};
	*failed = false;
	for (uint32_t i = 0; tables->symbols && !any && i < tables->n_frames; i++)
		any = tables->symbols[i].inlined.len;
	if (!any)
		return false;
	unfolding.first = calloc(tables->n_frames, sizeof(*unfolding.first));
	unfolding.depth = calloc(tables->n_frames, sizeof(*unfolding.depth));
	*failed = !unfolding.first || !unfolding.depth;
	if (*failed)
		wt_fail_nomem(err);
	else
		count_frames(&unfolding);
	*failed = *failed || unfold(&unfolding, err);
	free(unfolding.first);
	free(unfolding.depth);
	if (*failed)
		wt_unfolded_deinit(ret);
	return !*failed;
}

void wt_unfolded_deinit(struct wt_unfolded *unfolded)
{
	free(unfolded->frames);
	free(unfolded->symbols);
	free(unfolded->stacks);
	free(unfolded->outer);
	free(unfolded->names);
	*unfolded = (struct wt_unfolded){0};
}
