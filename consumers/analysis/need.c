/* SPDX-License-Identifier: MIT */
/* Lists the columns of a log that a counter reads. */
#include "consumers/analysis/counter.h"

#include "consumers/model/sample.h"

static void need_field(const struct wt_view_field *field, const struct wt_log_segment *segment, uint32_t kind,
		       struct wt_log_need *ret)
{
	int at = field->name ? wt_view_field_of_kind(field, segment, kind) : -1;

	if (at >= 0)
		wt_log_need_field(ret, (uint32_t)at);
}

static void need_key(const struct wt_view_key *key, const struct wt_log_segment *segment, uint32_t kind,
		     struct wt_log_need *ret)
{
	if (key->what == WT_KEY_FIELD)
		need_field(&key->field, segment, kind, ret);
	if (key->what == WT_KEY_ACTIVITY || key->what == WT_KEY_RELATED || key->what == WT_KEY_IN_REGION)
		ret->activities = true;
}

void wt_view_filter_need(void *ctx, const struct wt_log_segment *segment, uint32_t kind,
			 struct wt_log_need *ret)
{
	const struct wt_view_filter *filter = ctx;

	for (uint32_t k = 0; k < filter->n_keys; k++)
		need_key(&filter->keys[k], segment, kind, ret);
}

void wt_view_counter_need(void *ctx, const struct wt_log_segment *segment, uint32_t kind,
			  struct wt_log_need *ret)
{
	const struct wt_view_counter *counter = ctx;
	const struct wt_view_agg *agg = &counter->agg;
	int source = wt_view_is_sample(segment, kind)
			     ? wt_event_field(segment->kinds.kinds[kind].event, "source")
			     : -1;

	if (source >= 0)
		wt_log_need_field(ret, (uint32_t)source);
	for (uint32_t k = 0; k < agg->n_keys; k++)
		need_key(&agg->keys[k], segment, kind, ret);
	for (uint32_t c = 0; c < agg->n_columns; c++) {
		need_field(&agg->columns[c].field, segment, kind, ret);
		need_field(&agg->columns[c].open, segment, kind, ret);
		if (agg->columns[c].over)
			need_field(&agg->columns[c].over->field, segment, kind, ret);
		if (agg->columns[c].what == WT_COLUMN_UNIQUE)
			need_key(&agg->columns[c].key, segment, kind, ret);
	}
	wt_view_filter_need((void *)(uintptr_t)&counter->filter, segment, kind, ret);
}
