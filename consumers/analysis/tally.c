/* SPDX-License-Identifier: MIT */
/* Counts what a table can be trusted for: names, stacks, times of its events. */
#include "consumers/analysis/facts.h"

#include <stdlib.h>
#include <string.h>

#include "consumers/model/sample.h"
#include "tracecore/base/grow.h"

/* ---- one class per stack, so that an event costs one look-up ---- */

enum {
	CLASS_REASON = 15,
	CLASS_STATUS_SHIFT = 4,
	CLASS_STATUS = 15,
	CLASS_LOCAL = 1 << 8,
	N_CLASSES = 1 << 9
};

_Static_assert(WT_N_FRAME_REASONS <= CLASS_REASON + 1 && WT_N_STACK_STATUSES <= CLASS_STATUS + 1,
	       "a class holds every reason and status");

static uint32_t class_of(struct wt_view_facts *facts, struct wt_view_segment *segment, uint32_t stack)
{
	const struct wt_view_frame *frame = wt_view_leaf(facts->file, segment, stack);
	uint8_t status = stack ? segment->tables->stacks[stack - 1].status : WT_STACK_NONE;

	if (!frame)
		return WT_VIEW_NONE;
	if (status >= WT_N_STACK_STATUSES)
		status = WT_STACK_LOST;
	return (frame->reason < WT_N_FRAME_REASONS ? frame->reason : WT_FRAME_NOT_LOOKED_UP) |
	       (uint32_t)status << CLASS_STATUS_SHIFT | (frame->local ? CLASS_LOCAL : 0);
}

static enum wt_stack_status status_of(uint32_t class)
{
	return class >> CLASS_STATUS_SHIFT & CLASS_STATUS;
}

static void spread_classes(struct wt_view_facts *facts, const uint64_t *counts)
{
	for (uint32_t class = 0; class < N_CLASSES; class ++) {
		if (!counts[class])
			continue;
		facts->stacks += counts[class];
		facts->reasons[class & CLASS_REASON] += counts[class];
		facts->statuses[status_of(class)] += counts[class];
		facts->local += class & CLASS_LOCAL ? counts[class] : 0;
	}
}

/* ---- where stacks without unwind data end ---- */

static uint32_t end_row(struct wt_view_facts *facts, uint32_t module)
{
	bool fresh;
	uint32_t row = wt_intern(&facts->end_modules, module, 0, &fresh);

	if (row == WT_INTERN_NONE)
		return WT_VIEW_NONE;
	if (wt_grow(&facts->ends, &facts->ends_cap, row, 1, NULL))
		return WT_VIEW_NONE;
	if (fresh)
		facts->ends[row] = (struct wt_view_end){.module = module};
	return row;
}

static uint32_t end_of(struct wt_view_facts *facts, struct wt_view_segment *segment, uint32_t stack)
{
	const struct wt_log_stack *stacks = segment->tables->stacks;
	const struct wt_view_frame *frame;

	while (stacks[stack - 1].caller)
		stack = stacks[stack - 1].caller;
	frame = wt_view_leaf(facts->file, segment, stack);
	return frame ? end_row(facts, frame->module) : WT_VIEW_NONE;
}

static int count_end(struct wt_view_facts *facts, struct wt_view_segment *segment, uint32_t stack,
		     struct wt_err *err)
{
	uint32_t *memo = wt_view_memo(facts->file, segment, facts->end_slot, segment->tables->n_stacks + 1);

	if (memo && memo[stack] == WT_VIEW_NONE)
		memo[stack] = end_of(facts, segment, stack);
	if (!memo || memo[stack] == WT_VIEW_NONE)
		return wt_fail_nomem(err);
	facts->ends[memo[stack]].count++;
	return 0;
}

static int larger_first(const void *x, const void *y, void *ctx)
{
	const struct wt_strings *texts = ctx;
	const struct wt_view_end *a = x, *b = y;

	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return strcmp(wt_strings_get(texts, a->module, NULL), wt_strings_get(texts, b->module, NULL));
}

void wt_view_facts_sort_ends(struct wt_view_facts *facts)
{
	if (facts->ends)
		qsort_r(facts->ends, facts->end_modules.count, sizeof(*facts->ends), larger_first,
			&facts->file->texts);
}

/* ---- tallies of several threads ---- */

int wt_view_facts_add_end(struct wt_view_facts *facts, uint32_t module, uint64_t count)
{
	uint32_t row = end_row(facts, module);

	if (row == WT_VIEW_NONE)
		return -1;
	facts->ends[row].count += count;
	return 0;
}

void wt_view_facts_add(struct wt_view_facts *facts, const struct wt_view_facts *from)
{
	facts->events += from->events;
	facts->samples += from->samples;
	facts->unsampled += from->unsampled;
	facts->self += from->self;
	facts->unproved += from->unproved;
	facts->stacks += from->stacks;
	facts->local += from->local;
	for (int i = 0; i < WT_N_FRAME_REASONS; i++)
		facts->reasons[i] += from->reasons[i];
	for (int i = 0; i < WT_N_STACK_STATUSES; i++)
		facts->statuses[i] += from->statuses[i];
	facts->first = from->first < facts->first ? from->first : facts->first;
	facts->last = from->last > facts->last ? from->last : facts->last;
}

/* The modules stay: stacks remember their rows. */
void wt_view_facts_clear(struct wt_view_facts *facts)
{
	facts->events = facts->samples = facts->unsampled = facts->self = facts->unproved = 0;
	facts->stacks = facts->local = 0;
	memset(facts->reasons, 0, sizeof(facts->reasons));
	memset(facts->statuses, 0, sizeof(facts->statuses));
	facts->first = UINT64_MAX;
	facts->last = 0;
	for (uint32_t i = 0; i < facts->end_modules.count; i++)
		facts->ends[i].count = 0;
}

/* ---- a batch ---- */

static int tally_stacks(struct wt_view_facts *facts, struct wt_view_segment *segment,
			const struct wt_log_batch *batch, const uint32_t *rows, struct wt_err *err)
{
	uint64_t counts[N_CLASSES] = {0};
	uint32_t *memo, any = 0;

	for (uint32_t i = 0; i < batch->n; i++)
		any |= batch->stack[i];
	if (!any)
		return 0;
	memo = wt_view_memo(facts->file, segment, facts->class_slot, segment->tables->n_stacks + 1);

	if (!memo)
		return wt_fail_nomem(err);
	for (uint32_t i = 0; i < batch->n; i++) {
		uint32_t stack = batch->stack[i];

		if (rows[i] == WT_VIEW_NONE || !stack)
			continue;
		if (memo[stack] == WT_VIEW_NONE)
			memo[stack] = class_of(facts, segment, stack);
		if (memo[stack] == WT_VIEW_NONE)
			return wt_fail_nomem(err);
		counts[memo[stack]]++;
		if (status_of(memo[stack]) == WT_STACK_NO_DATA && count_end(facts, segment, stack, err))
			return -1;
	}
	spread_classes(facts, counts);
	return 0;
}

/* Events of a batch are in the order of time, and one of them at least is counted. */
static void tally_times(struct wt_view_facts *facts, const struct wt_log_batch *batch, const uint32_t *rows)
{
	uint32_t first = 0, last = batch->n - 1;

	while (rows[first] == WT_VIEW_NONE)
		first++;
	while (rows[last] == WT_VIEW_NONE)
		last--;
	facts->first = batch->time[first] < facts->first ? batch->time[first] : facts->first;
	facts->last = batch->time[last] > facts->last ? batch->time[last] : facts->last;
}

int wt_view_facts_tally(struct wt_view_facts *facts, const struct wt_log_batch *batch, const uint32_t *rows,
			struct wt_err *err)
{
	bool sample = wt_view_is_sample(batch->segment, batch->kind);
	struct wt_view_segment *segment;
	uint64_t n = 0;

	for (uint32_t i = 0; i < batch->n; i++)
		n += rows[i] != WT_VIEW_NONE;
	if (!n)
		return 0;
	tally_times(facts, batch, rows);
	facts->events += n;
	facts->samples += sample ? n : 0;
	facts->unsampled += wt_view_is_unsampled(batch->segment, batch->kind) ? n : 0;
	for (uint32_t i = 0; sample && i < batch->n; i++)
		facts->self += rows[i] != WT_VIEW_NONE && batch->self[i];
	if (wt_view_file_segment(facts->file, batch->segment, &segment, err))
		return -1;
	return tally_stacks(facts, segment, batch, rows, err);
}
