/* SPDX-License-Identifier: MIT */
#include "consumers/analysis/why_none.h"

#include <stdlib.h>
#include <string.h>

#include "consumers/analysis/expr.h"
#include "tracecore/base/grow.h"

typedef unsigned long long ull;

enum { MOST_PARTS = 16 };

/* One of the conditions that are joined by &&. */
struct part {
	const char *text;
	size_t len;
	struct wt_view_filter filter;
	uint64_t passed;
	bool counted; /* false: that it cannot be asked alone */
};

struct count {
	struct wt_view_counter *counter;
	struct wt_view_filter sources; /* lets the samples pass that were asked for */
	uint64_t chosen, in_range, own;
	struct part parts[MOST_PARTS];
	uint32_t n_parts;
	uint8_t *mask;
	uint32_t mask_n;
};

static void add_part(struct count *count, const char *text, size_t len)
{
	while (len && strchr(" \t\n\r", *text))
		text++, len--;
	while (len && strchr(" \t\n\r", text[len - 1]))
		len--;
	if (count->n_parts < MOST_PARTS)
		count->parts[count->n_parts++] = (struct part){.text = text, .len = len};
}

/* The parts mean something alone where && joins them. */
static void split(struct count *count, const char *where)
{
	struct wt_expr_place joints[MOST_PARTS];
	struct wt_err ignored = WT_ERR_INIT;
	struct wt_expr *expr = NULL;
	size_t n = 0, from = 0;

	if (!wt_expr_parse(where, &expr, NULL, &ignored))
		n = wt_expr_joints(expr, joints, MOST_PARTS);
	wt_expr_destroy(expr);
	for (size_t i = 0; i < n && i < MOST_PARTS; i++) {
		add_part(count, where + from, joints[i].at - from);
		from = joints[i].at + joints[i].len;
	}
	add_part(count, where + from, strlen(where + from));
}

static int read_parts(struct count *count, struct wt_err *err)
{
	for (uint32_t i = 0; i < count->n_parts; i++) {
		struct part *part = &count->parts[i];
		struct wt_expr_place place = {0};
		struct wt_err ignored = WT_ERR_INIT;
		char *text = strndup(part->text, part->len);
		int failed;

		if (!text)
			return wt_fail_nomem(err);
		part->filter.file = &count->counter->file;
		failed = wt_view_filter_where(&part->filter, text, &place, &ignored);
		part->counted = !failed && !wt_view_filter_asks_regions(&part->filter);
		free(text);
	}
	return 0;
}

static int count_part(struct count *count, struct part *part, struct wt_view_segment *segment,
		      const struct wt_log_batch *batch, const uint8_t *within, struct wt_err *err)
{
	if (wt_view_filter_mask(&part->filter, segment, batch, count->mask + batch->n, err))
		return -1;
	for (uint32_t i = 0; i < batch->n; i++)
		part->passed += within[i] && count->mask[batch->n + i];
	return 0;
}

static int on_batch(void *ctx, const struct wt_log_batch *batch, struct wt_err *err)
{
	struct count *count = ctx;
	const struct wt_log_filter *range = &count->counter->range;
	struct wt_view_segment *segment;

	if (!batch->n)
		return 0;
	if (wt_view_file_segment(&count->counter->file, batch->segment, &segment, err) ||
	    wt_grow(&count->mask, &count->mask_n, 0, 2 * batch->n, err) ||
	    wt_view_filter_mask(&count->sources, segment, batch, count->mask, err))
		return -1;
	for (uint32_t i = 0; i < batch->n; i++) {
		count->chosen += count->mask[i];
		count->mask[i] &= batch->time[i] >= range->from && (!range->to || batch->time[i] < range->to);
		count->in_range += count->mask[i];
		count->own += count->mask[i] && batch->self[i];
	}
	for (uint32_t p = 0; p < count->n_parts; p++)
		if (count->parts[p].counted &&
		    count_part(count, &count->parts[p], segment, batch, count->mask, err))
			return -1;
	return 0;
}

static bool want(void *ctx, const struct wt_log_segment *segment, uint32_t kind)
{
	return wt_view_select_want(&((struct count *)ctx)->counter->select, segment, kind);
}

static const char *s_of(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static void put_parts(const struct count *count, struct wt_buf *out)
{
	const char *before = ", ";
	bool all = count->n_parts > 1;

	for (uint32_t p = 0; p < count->n_parts; p++) {
		const struct part *part = &count->parts[p];

		if (!part->counted)
			continue;
		wt_buf_printf(out, "%s%llu with ", before, (ull)part->passed);
		wt_text_escape(out, part->text, part->len);
		all &= part->passed > 0;
	}
	if (all)
		wt_buf_puts(out, ", none with all of these");
}

static void put(const struct count *count, struct wt_buf *out)
{
	const struct wt_view_counter *counter = count->counter;
	uint64_t events = wt_log_info(counter->file.log)->events;
	bool ranged = counter->range.from || counter->range.to;

	wt_buf_printf(out, "no event passes: the log has %llu event%s", (ull)events, s_of(events));
	if (count->chosen != events || counter->select.mode != WT_SELECT_ALL)
		wt_buf_printf(out, ", %llu of %s", (ull)count->chosen,
			      counter->select.mode == WT_SELECT_SAMPLES  ? "them samples"
			      : counter->select.mode == WT_SELECT_NEWS   ? "them more than rundown"
			      : counter->select.mode == WT_SELECT_FIELDS ? "them with the fields asked for"
									 : "the kind asked for");
	if (count->chosen && ranged)
		wt_buf_printf(out, ", %llu of these in the range", (ull)count->in_range);
	if (count->in_range && counter->filter.no_self && count->own)
		wt_buf_printf(out, ", %llu of these of the recorder itself (--no-self)", (ull)count->own);
	if (count->in_range)
		put_parts(count, out);
	if (counter->facts.unproved)
		wt_buf_printf(out, ", %llu left out by --proved", (ull)counter->facts.unproved);
	if (!count->chosen && counter->select.mode == WT_SELECT_SAMPLES)
		wt_buf_puts(out, "; --group-by event shows what there is");
}

int wt_view_why_none(struct wt_view_counter *counter, const char *where, struct wt_buf *out,
		     struct wt_err *err)
{
	struct count *count = calloc(1, sizeof(*count));
	struct wt_log_filter all = {.want = want, .ctx = count};
	int failed;

	if (!count)
		return wt_fail_nomem(err);
	count->counter = counter;
	count->sources.file = &counter->file;
	if (where)
		split(count, where);
	failed = read_parts(count, err) ||
		 (counter->select.n_sources &&
		  wt_view_filter_sources(&count->sources, counter->select.sources, counter->select.n_sources,
					 err)) ||
		 wt_log_scan(counter->file.log, &all, on_batch, count, err) < 0;
	if (!failed)
		put(count, out);
	for (uint32_t p = 0; p < count->n_parts; p++)
		wt_view_filter_deinit(&count->parts[p].filter);
	wt_view_filter_deinit(&count->sources);
	free(count->mask);
	free(count);
	return failed ? -1 : 0;
}
