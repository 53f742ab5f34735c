// SPDX-License-Identifier: MIT
#include "consumers/export/view.h"

#include <string.h>

void wt_view_show_of(struct wt_view_show *show, const char *path, const struct wt_question *ask,
		     const struct wt_view_counter *counter)
{
	show->path = path;
	show->agg = &counter->agg;
	show->facts = &counter->facts;
	show->where = ask->where;
	show->from = ask->from;
	show->to = ask->to;
	show->events.words = ask->events;
	show->events.n_words = ask->n_events;
	show->news = counter->select.mode == WT_SELECT_NEWS;
	show->no_self = ask->no_self;
	show->proved = ask->proved;
}

bool wt_view_too_deep(const struct wt_view_show *show, const uint32_t *children, uint32_t n)
{
	return show->depth && n && show->agg->rows.nodes[*children].level >= show->agg->n_keys + show->depth;
}

uint32_t wt_view_shown(const struct wt_view_show *show, const uint32_t *children, uint32_t n)
{
	uint32_t limit = show->top && show->top < n ? show->top : n, shown = 0;

	if (wt_view_too_deep(show, children, n))
		return 0;
	while (shown < limit && !wt_view_agg_small(show->agg, children[shown]))
		shown++;
	return shown;
}

uint32_t wt_view_missing_shown(const struct wt_view_show *show, const struct wt_view_missing *missing)
{
	uint32_t n = missing->keys.count;

	return show->top && show->top < n ? show->top : n;
}

/* Whether a field belongs to the counters of the session. */
static bool is_of_counters(const struct wt_view_file *file, const struct wt_view_column *column)
{
	for (uint32_t i = 0; column->field.name && i < file->n_segments; i++) {
		const struct wt_log_segment *tables = file->segments[i].tables;

		for (uint32_t kind = 0; kind < tables->kinds.n; kind++)
			if (!strcasecmp(tables->kinds.kinds[kind].provider->name, "counters") &&
			    wt_view_field_of_kind(&column->field, tables, kind) >= 0)
				return true;
	}
	return false;
}

bool wt_view_is_estimate(const struct wt_view_show *show)
{
	const struct wt_view_agg *agg = show->agg;
	bool places = agg->filter && wt_view_filter_asks_regions(agg->filter);

	for (uint32_t k = 0; k < agg->n_keys; k++)
		places |= wt_view_key_is_code(&agg->keys[k]) || agg->keys[k].what == WT_KEY_STACK;
	for (uint32_t c = 0; places && c < agg->n_columns; c++)
		if (is_of_counters(show->facts->file, &agg->columns[c]))
			return true;
	return false;
}
