/* SPDX-License-Identifier: MIT */
/* Tests on the frames of a stack in an expression. */
#include "consumers/analysis/filter.h"

#include <stdlib.h>
#include <string.h>

#include "consumers/model/sample.h"
#include "tracecore/base/grow.h"

/* A symbol, a frame and a stack are each asked once, and then remembered: symbols for the whole file, frames
 * and stacks, which are the segment's, until the next one. */

enum { VERDICT_OPEN, VERDICT_NO, VERDICT_YES };

static bool test_symbol(const struct wt_view_file *file, uint32_t symbol, const struct wt_expr_test *test)
{
	struct wt_buf full = {0};
	bool yes;
	size_t len;
	const char *function = wt_strings_get(&file->texts, (uint32_t)file->symbols.keys[symbol].a, &len);

	if (wt_expr_test(test, function, len))
		return true;
	wt_view_symbol_text(file, symbol, &full);
	yes = wt_expr_test(test, wt_buf_cstr(&full), full.len);
	wt_buf_deinit(&full);
	return yes;
}

static int symbol_verdict(struct wt_view_file *file, struct wt_view_key *key, uint32_t symbol,
			  const struct wt_expr_test *test)
{
	if (symbol >= key->n_verdicts &&
	    wt_grow_filled(&key->verdicts, &key->n_verdicts, symbol, 1, VERDICT_OPEN, NULL))
		return -1;
	if (key->verdicts[symbol] == VERDICT_OPEN)
		key->verdicts[symbol] = test_symbol(file, symbol, test) ? VERDICT_YES : VERDICT_NO;
	return key->verdicts[symbol];
}

static int frame_verdict(struct wt_view_file *file, struct wt_view_key *key,
			 const struct wt_view_frame *frame, const struct wt_expr_test *test)
{
	int verdict = frame ? symbol_verdict(file, key, frame->symbol, test) : -1;
	size_t len;
	const char *raw;

	if (verdict != VERDICT_NO || frame->raw == WT_VIEW_NONE)
		return verdict;
	raw = wt_strings_get(&file->texts, frame->raw, &len);
	return wt_expr_test(test, raw, len) ? VERDICT_YES : VERDICT_NO;
}

struct stack_filter {
	struct wt_view_file *file;
	struct wt_view_key *key;
	struct wt_view_segment *segment;
	const struct wt_expr_test *test;
	uint32_t *by_frame, *by_stack; /* WT_VIEW_NONE: not asked yet */
};

static int ask_frame(const struct stack_filter *filter, uint32_t frame)
{
	const struct wt_view_frame *named = wt_view_frame(filter->file, filter->segment, frame);

	if (frame >= filter->segment->tables->n_frames)
		return frame_verdict(filter->file, filter->key, named, filter->test);
	if (filter->by_frame[frame] == WT_VIEW_NONE) {
		int verdict = frame_verdict(filter->file, filter->key, named, filter->test);

		if (verdict < 0)
			return -1;
		filter->by_frame[frame] = (uint32_t)verdict;
	}
	return (int)filter->by_frame[frame];
}

/* Goes out from the innermost frame to the first caller that settles it; all on the way share the answer. */
static int ask_stack(const struct stack_filter *filter, uint32_t stack)
{
	const struct wt_log_stack *stacks = filter->segment->tables->stacks;
	uint32_t *memo = filter->by_stack, end = stack;
	int verdict = VERDICT_NO;

	for (; end && memo[end] == WT_VIEW_NONE; end = stacks[end - 1].caller) {
		verdict = ask_frame(filter, stacks[end - 1].frame);
		if (verdict < 0)
			return -1;
		if (verdict == VERDICT_YES)
			break;
	}
	if (end && memo[end] != WT_VIEW_NONE)
		verdict = (int)memo[end];
	for (; stack != end; stack = stacks[stack - 1].caller)
		memo[stack] = (uint32_t)verdict;
	if (end)
		memo[end] = (uint32_t)verdict;
	return verdict;
}

/* The recorder's own events are shown as one frame; what they have in their stacks they have as well. */
static int ask_event(const struct stack_filter *filter, const struct wt_log_batch *batch, uint32_t i)
{
	int verdict = VERDICT_NO;

	if (batch->self[i])
		verdict = frame_verdict(filter->file, filter->key, &filter->file->self_frame, filter->test);
	if (verdict != VERDICT_NO || (batch->self[i] && !batch->stack[i]))
		return verdict;
	if (wt_view_is_unsampled(batch->segment, batch->kind))
		return frame_verdict(filter->file, filter->key, &filter->file->unsampled_frame, filter->test);
	if (!batch->stack[i])
		return frame_verdict(filter->file, filter->key, &filter->file->no_frame, filter->test);
	return ask_stack(filter, batch->stack[i]);
}

int wt_view_key_any(struct wt_view_file *file, struct wt_view_key *key, struct wt_view_segment *segment,
		    const struct wt_log_batch *batch, const struct wt_expr_test *test, uint8_t *mask,
		    struct wt_err *err)
{
	struct stack_filter filter = {.file = file, .key = key, .segment = segment, .test = test};

	if (wt_view_resolve(file, segment, err))
		return -1;
	filter.by_frame = wt_view_memo(file, segment, key->frame_slot, segment->tables->n_frames + 1);
	filter.by_stack = wt_view_memo(file, segment, key->slot, segment->tables->n_stacks + 1);
	if (!filter.by_frame || !filter.by_stack)
		return wt_fail_nomem(err);
	for (uint32_t i = 0; i < batch->n; i++) {
		int verdict = ask_event(&filter, batch, i);

		if (verdict < 0)
			return wt_fail_nomem(err);
		mask[i] = verdict == VERDICT_YES;
	}
	return 0;
}
