// SPDX-License-Identifier: MIT
#include "consumers/analysis/choice.h"

#include "consumers/model/sample.h"

static int stop_at_first(void *ctx, const struct wt_log_batch *batch, struct wt_err *err)
{
	(void)err;
	if (batch->n)
		*(bool *)ctx = true;
	return batch->n ? 1 : 0;
}

int wt_view_find_samples(struct wt_log_reader *log, bool *ret, struct wt_err *err)
{
	struct wt_view_select samples = {.mode = WT_SELECT_SAMPLES};
	struct wt_log_filter filter = {.want = wt_view_select_want, .ctx = &samples};

	*ret = false;
	return wt_log_scan(log, &filter, stop_at_first, ret, err) < 0 ? -1 : 0;
}

static bool in_samples(const struct wt_view_file *file, const struct wt_view_field *field)
{
	for (uint32_t i = 0; i < file->n_segments; i++) {
		const struct wt_log_segment *tables = file->segments[i].tables;

		for (uint32_t kind = 0; kind < tables->kinds.n; kind++)
			if (wt_view_is_sample(tables, kind) &&
			    wt_view_field_of_kind(field, tables, kind) >= 0)
				return true;
	}
	return false;
}

static bool is_about_kinds(const struct wt_view_key *key)
{
	return key->what == WT_KEY_EVENT || key->what == WT_KEY_PROVIDER || key->what == WT_KEY_LEVEL;
}

static bool asks_for_all(const struct wt_view_counter *counter)
{
	for (uint32_t i = 0; i < counter->agg.n_keys; i++)
		if (is_about_kinds(&counter->agg.keys[i]))
			return true;
	for (uint32_t i = 0; i < counter->filter.n_keys; i++) {
		const struct wt_view_key *key = &counter->filter.keys[i];

		if (is_about_kinds(key) ||
		    (key->what == WT_KEY_FIELD && !in_samples(&counter->file, &key->field)))
			return true;
	}
	return false;
}

static int select_column(struct wt_view_counter *counter, const struct wt_view_column *column,
			 struct wt_err *err)
{
	if (column->field.name && !in_samples(&counter->file, &column->field) &&
	    wt_view_select_field(&counter->select, &column->field, err))
		return -1;
	return column->over ? select_column(counter, column->over, err) : 0;
}

static int select_fields(struct wt_view_counter *counter, struct wt_err *err)
{
	for (uint32_t i = 0; i < counter->agg.n_keys; i++) {
		const struct wt_view_key *key = &counter->agg.keys[i];

		if (key->what == WT_KEY_FIELD && !in_samples(&counter->file, &key->field) &&
		    wt_view_select_field(&counter->select, &key->field, err))
			return -1;
	}
	for (uint32_t i = 0; i < counter->agg.n_columns; i++)
		if (select_column(counter, &counter->agg.columns[i], err))
			return -1;
	return 0;
}

int wt_view_choose_events(struct wt_view_counter *counter, bool samples, bool asks, struct wt_err *err)
{
	counter->select.mode = samples ? WT_SELECT_SAMPLES : WT_SELECT_NEWS;
	if (asks_for_all(counter) && (samples || asks)) {
		counter->select.mode = WT_SELECT_ALL;
		counter->agg.all_one_table = true;
	}
	return select_fields(counter, err);
}
