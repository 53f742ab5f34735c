// SPDX-License-Identifier: MIT
#include "consumers/analysis/choice.h"

#include <string.h>

#include "consumers/model/sample.h"
#include "tracecore/schema/builtin.h"

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

/* ---- logs of counts ---- */

/* The counters that an interval has a field for; NULL: the log has no counts. */
static const struct wt_event_desc *interval_of(const struct wt_view_file *file)
{
	for (uint32_t i = 0; i < file->n_segments; i++) {
		const struct wt_kinds *kinds = &file->segments[i].tables->kinds;

		for (uint32_t kind = 0; kind < kinds->n; kind++)
			if (kinds->kinds[kind].event->id == WT_COUNTERS_INTERVAL &&
			    !strcmp(kinds->kinds[kind].provider->name, "counters"))
				return kinds->kinds[kind].event;
	}
	return NULL;
}

/* A program may also have a provider of that name. */
static bool is_count(const struct wt_field *field)
{
	return field->type <= WT_TYPE_I64 && !field->variable && field->count <= 1 && !field->map;
}

/* The fields that the session added: one for each counter. Returns how many columns that makes. */
static uint32_t put_columns(const struct wt_event_desc *event, struct wt_buf *columns)
{
	static const char so_far[] = "_so_far";
	enum { OWN = 3 }; /* certainty, enabled, running */
	bool cycles = wt_event_field(event, "cycles") >= 0, instructions = false;
	uint32_t ret = 0;

	for (uint32_t i = OWN; i < event->n_fields; i++) {
		const char *name = event->fields[i].name;
		size_t len = strlen(name), n = strlen(so_far);

		if (!is_count(&event->fields[i]) || (len > n && !strcmp(name + len - n, so_far)))
			continue;
		wt_buf_printf(columns, "%ssum:%s", columns->len ? "," : "", name);
		instructions = instructions || !strcmp(name, "instructions");
		ret++;
	}
	if (!cycles || !instructions)
		return ret;
	wt_buf_puts(columns, ",ipc");
	return ret + 1;
}

/* Returns whether some event of that name was written. */
static int was_written(const struct wt_view_file *file, const char *word, bool *ret, struct wt_err *err)
{
	struct wt_view_select named = {.file = file, .mode = WT_SELECT_NAMED, .words = &word, .n_words = 1};
	struct wt_log_filter filter = {.want = wt_view_select_want, .ctx = &named};

	*ret = false;
	return wt_log_scan(file->log, &filter, stop_at_first, ret, err) < 0 ? -1 : 0;
}

/* With the rest that is left at the end, the sums equal the kernel's. */
static int select_counts(struct wt_view_counter *counter, bool threads, struct wt_err *err)
{
	if (wt_view_select_add(&counter->select, threads ? "counters/switch" : "counters/interval", err))
		return -1;
	return threads ? wt_view_select_add(&counter->select, "counters/rest", err) : 0;
}

int wt_view_choose_counts(struct wt_view_counter *counter, const char **keys, struct wt_buf *columns,
			  struct wt_err *err)
{
	const struct wt_event_desc *event = interval_of(&counter->file);
	bool threads = false, any = false;
	uint32_t n;

	*keys = NULL;
	n = event ? put_columns(event, columns) : 0;
	if (columns->failed)
		return wt_fail_nomem(err);
	if (!n || n >= WT_VIEW_MAX_COLUMNS)
		return 0;
	if (was_written(&counter->file, "counters/switch", &threads, err) ||
	    (!threads && was_written(&counter->file, "counters/interval", &any, err)))
		return -1;
	if (!threads && !any)
		return 0;
	*keys = threads ? "process" : "cpu";
	return select_counts(counter, threads, err);
}
