/* SPDX-License-Identifier: MIT */
#include "consumers/analysis/region_set.h"

#include <stdlib.h>
#include <string.h>

#include "tracecore/base/bound.h"
#include "consumers/analysis/expr_node.h"
#include "tracecore/base/grow.h"

/* Regions of a thread. A region without an activity contains all events of the thread; a region with one
 * contains by thread only events without an activity. */
enum { BY_THREAD, BY_THREAD_OF_ACTIVITY };

/* When regions of one owner were open; `owner` is a number of set->owners or of set->activities. */
struct span {
	uint32_t owner;
	uint64_t from, to;
};

struct spans {
	struct span *spans; /* after settle by owner, then by time, apart from each other */
	size_t n, cap;
	struct wt_intern owners;
	size_t *first; /* after settle, by owner; one more entry */
};

struct wt_region_set {
	uint64_t picked, unfinished, unbegun, doubtful;
	struct spans threads, activities;
	struct wt_task_ids tasks;

	/* while it is made */
	struct wt_view_file file;
	struct wt_region_rows rows;
	struct wt_view_filter filter;
	uint8_t *mask;
	uint32_t mask_n;
};

/* ---- spans ---- */

static int add_span(struct spans *spans, uint64_t a, uint64_t b, const struct wt_region_extent *extent)
{
	bool fresh;
	uint32_t owner = wt_intern(&spans->owners, a, b, &fresh);

	if (owner == WT_INTERN_NONE)
		return -1;
	if (wt_grow(&spans->spans, &spans->cap, spans->n, 1, NULL))
		return -1;
	spans->spans[spans->n++] = (struct span){owner, extent->from, extent->to};
	return 0;
}

static int by_owner(const void *x, const void *y)
{
	const struct span *a = x, *b = y;

	if (a->owner != b->owner)
		return a->owner < b->owner ? -1 : 1;
	return (a->from > b->from) - (a->from < b->from);
}

static int settle(struct spans *spans)
{
	size_t n = 0;

	spans->first = calloc(spans->owners.count + (size_t)1, sizeof(*spans->first));
	if (!spans->first)
		return -1;
	if (spans->n)
		qsort(spans->spans, spans->n, sizeof(*spans->spans), by_owner);
	for (size_t i = 0; i < spans->n; i++) {
		const struct span *span = &spans->spans[i];
		struct span *last = n ? &spans->spans[n - 1] : NULL;

		if (last && last->owner == span->owner && span->from <= last->to)
			last->to = span->to > last->to ? span->to : last->to;
		else
			spans->spans[n++] = *span;
	}
	spans->n = n;
	for (size_t i = n; i-- > 0;)
		spans->first[spans->spans[i].owner] = i;
	spans->first[spans->owners.count] = n;
	return 0;
}

/* Every owner has at least one span, so an owner's spans end where those of the next owner begin. */
static bool is_inside(const struct spans *spans, uint64_t a, uint64_t b, uint64_t time)
{
	uint32_t owner = wt_intern_find(&spans->owners, a, b);
	size_t low;

	if (owner == WT_INTERN_NONE)
		return false;
	low = WT_BOUND(i, spans->first[owner], spans->first[owner + 1], spans->spans[i].to < time);
	return low < spans->first[owner + 1] && spans->spans[low].from <= time;
}

static void spans_deinit(struct spans *spans)
{
	free(spans->spans);
	free(spans->first);
	wt_intern_deinit(&spans->owners);
}

/* ---- making one ---- */

static void activity_key(const uint8_t *activity, uint64_t *a, uint64_t *b)
{
	memcpy(a, activity, sizeof(*a));
	memcpy(b, activity + sizeof(*a), sizeof(*b));
}

static int take_one(struct wt_region_set *set, const struct wt_log_batch *batch, uint32_t i)
{
	const struct wt_region_extent *extent = &set->rows.extents[i];
	const uint8_t *activity = batch->activity + (size_t)i * WT_ACTIVITY_ID;
	bool has_activity = !wt_activity_is_none(activity);
	uint64_t a, b;

	set->picked++;
	set->unfinished += extent->state == WT_REGION_UNFINISHED;
	set->unbegun += extent->state == WT_REGION_UNBEGUN;
	set->doubtful += extent->doubtful;
	if (has_activity) {
		activity_key(activity, &a, &b);
		if (add_span(&set->activities, a, b, extent))
			return -1;
	}
	return extent->thread == WT_REGION_NONE
		       ? 0
		       : add_span(&set->threads, extent->thread,
				  has_activity ? BY_THREAD_OF_ACTIVITY : BY_THREAD, extent);
}

static int take(void *ctx, const struct wt_log_batch *batch, struct wt_err *err)
{
	struct wt_region_set *set = ctx;
	struct wt_view_segment *segment;

	if (batch->n > set->mask_n) {
		uint8_t *mask = realloc(set->mask, batch->n);

		if (!mask)
			return wt_fail_nomem(err);
		set->mask = mask;
		set->mask_n = batch->n;
	}
	if (wt_view_file_segment(&set->file, batch->segment, &segment, err) ||
	    wt_view_filter_mask(&set->filter, segment, batch, set->mask, err))
		return -1;
	for (uint32_t i = 0; i < batch->n; i++)
		if (set->mask[i] && take_one(set, batch, i))
			return wt_fail_nomem(err);
	return 0;
}

static int find_regions(struct wt_region_set *set, struct wt_log_reader *log,
			const struct wt_region_pairs *pairs, const char *expr, struct wt_err *err)
{
	const struct wt_view_options options = {0};

	if (wt_view_file_init(&set->file, log, &options, err) ||
	    wt_region_rows_init(&set->rows, &set->file, pairs, err))
		return -1;
	set->filter.file = &set->file;
	if (wt_view_filter_where(&set->filter, expr, NULL, err) ||
	    wt_view_filter_regions(&set->filter, pairs, err))
		return -1;
	set->rows.need = wt_view_filter_need;
	set->rows.need_ctx = &set->filter;
	if (wt_region_rows_scan(&set->rows, take, set, err))
		return -1;
	/* The threads keep their numbers. */
	set->tasks = set->rows.tasks;
	set->rows.tasks = (struct wt_task_ids){0};
	return settle(&set->threads) || settle(&set->activities) ? wt_fail_nomem(err) : 0;
}

static void drop_view(struct wt_region_set *set)
{
	wt_view_filter_deinit(&set->filter);
	wt_view_file_deinit(&set->file);
	wt_region_rows_deinit(&set->rows);
	free(set->mask);
	set->mask = NULL;
}

int wt_region_set_create(struct wt_log_reader *log, const struct wt_region_pairs *pairs, const char *expr,
			 struct wt_region_set **ret, struct wt_err *err)
{
	struct wt_region_set *set = calloc(1, sizeof(*set));
	int failed;

	if (!set)
		return wt_fail_nomem(err);
	failed = find_regions(set, log, pairs, expr, err);
	drop_view(set);
	if (failed) {
		wt_region_set_destroy(set);
		return -1;
	}
	*ret = set;
	return 0;
}

void wt_region_set_destroy(struct wt_region_set *set)
{
	if (!set)
		return;
	spans_deinit(&set->threads);
	spans_deinit(&set->activities);
	wt_task_ids_deinit(&set->tasks);
	free(set);
}

/* ---- asking ---- */

int wt_region_set_mask(struct wt_region_set *set, const struct wt_log_batch *batch, uint8_t *mask,
		       struct wt_err *err)
{
	const uint32_t *ids = wt_task_ids(&set->tasks, batch->segment);

	if (!ids)
		return wt_fail_nomem(err);
	for (uint32_t i = 0; i < batch->n; i++) {
		const uint8_t *activity = batch->activity ? batch->activity + (size_t)i * WT_ACTIVITY_ID
							  : NULL;
		uint32_t thread = ids[batch->thread[i]];
		uint64_t time = batch->time[i], a, b;

		mask[i] = is_inside(&set->threads, thread, BY_THREAD, time);
		if (mask[i])
			continue;
		if (!activity || wt_activity_is_none(activity)) {
			mask[i] = is_inside(&set->threads, thread, BY_THREAD_OF_ACTIVITY, time);
			continue;
		}
		activity_key(activity, &a, &b);
		mask[i] = is_inside(&set->activities, a, b, time);
	}
	return 0;
}

/* ---- filters ---- */

static int mask_of(void *ctx, const struct wt_log_batch *batch, uint8_t *mask, struct wt_err *err)
{
	return wt_region_set_mask(ctx, batch, mask, err);
}

static void destroy(void *ctx)
{
	wt_region_set_destroy(ctx);
}

int wt_view_filter_regions(struct wt_view_filter *filter, const struct wt_region_pairs *pairs,
			   struct wt_err *err)
{
	for (uint32_t i = 0; filter->where && i < filter->where->n; i++) {
		const struct wt_expr_node *node = &filter->where->nodes[i];
		struct wt_view_key *key = node->names ? &filter->keys[node->handle] : NULL;
		struct wt_region_set *set;

		if (!key || key->what != WT_KEY_IN_REGION || key->inside.mask)
			continue;
		if (wt_region_set_create(filter->file->log, pairs, node->value.text, &set, err))
			return wt_fail_prefix(err, "in region");
		key->inside = (struct wt_view_inside){.mask = mask_of,
						      .destroy = destroy,
						      .ctx = set,
						      .regions = set->picked,
						      .unfinished = set->unfinished,
						      .unbegun = set->unbegun,
						      .doubtful = set->doubtful};
	}
	return 0;
}
