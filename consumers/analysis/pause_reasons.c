// SPDX-License-Identifier: MIT
/* The reasons of two pauses, in words that both have. */
#include "consumers/analysis/pause_report.h"

static uint32_t word_of(struct wt_pause_compare *compare, const struct wt_buf *text)
{
	bool fresh;

	return text->failed ? WT_INTERN_NONE : wt_strings_add(&compare->words, text->data, text->len, &fresh);
}

static int take_name(const struct wt_pause_report *report, struct wt_pause_compare *compare, uint32_t tid,
		     uint32_t *ret, struct wt_err *err)
{
	struct wt_buf text = {0};

	wt_pause_name(report, tid, &text);
	*ret = word_of(compare, &text);
	wt_buf_deinit(&text);
	return *ret == WT_INTERN_NONE ? wt_fail_nomem(err) : 0;
}

static int take_function(const struct wt_pause_report *report, struct wt_pause_compare *compare,
			 uint32_t turn, struct wt_pause_reason *reason, struct wt_err *err)
{
	struct wt_buf text = {0};
	int failed = 0;

	if (turn == WT_PAUSE_NONE)
		return 0;
	reason->kind = report->path.turns[turn].kind;
	if (wt_pause_function(report, turn, &text, err)) {
		failed = -1;
	} else if (text.len) {
		reason->function = word_of(compare, &text);
		failed = reason->function == WT_INTERN_NONE ? wt_fail_nomem(err) : 0;
	}
	wt_buf_deinit(&text);
	return failed;
}

static int take_segment(const struct wt_pause_report *report, struct wt_pause_compare *compare, int side,
			const struct wt_pause_segment *segment, struct wt_err *err)
{
	bool waits = segment->state == WT_PAUSE_BLOCKED || segment->state == WT_PAUSE_UNKNOWN;
	struct wt_pause_reason reason = {.state = segment->state,
					 .cause = segment->cause,
					 .itself = !segment->depth,
					 .name = WT_PAUSE_NO_WORD,
					 .by = WT_PAUSE_NO_WORD,
					 .function = WT_PAUSE_NO_WORD};

	if ((segment->depth && take_name(report, compare, segment->tid, &reason.name, err)) ||
	    (segment->by != WT_PAUSE_NONE && take_name(report, compare, segment->by, &reason.by, err)) ||
	    take_function(report, compare,
			  waits            ? segment->turn
			  : segment->depth ? segment->waiter
					   : WT_PAUSE_NONE,
			  &reason, err))
		return -1;
	return wt_pause_compare_add(compare, side, &reason, segment->to - segment->from, err);
}

int wt_pause_compare_reports(const struct wt_pause_report reports[2], struct wt_pause_compare *compare,
			     struct wt_err *err)
{
	for (int side = 0; side < 2; side++)
		for (uint32_t i = 0; i < reports[side].path.n_segments; i++)
			if (take_segment(&reports[side], compare, side, &reports[side].path.segments[i], err))
				return -1;
	wt_pause_compare_settle(compare);
	return 0;
}
