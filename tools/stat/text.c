// SPDX-License-Identifier: MIT
#include "tools/stat/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tracecore/base/table.h"
#include "tracecore/base/clock.h"

struct text {
	const struct wt_stat_found *found;
	const struct wt_count_result *result;
	struct wt_table table;
	struct wt_buf *out;
};

static bool repeated(const struct text *text)
{
	return text->result->n_runs > 1;
}

/* ---- titles ---- */

/* "kernel mode excluded", "no multiplexing". */
static void put_title(const struct text *text, const struct wt_count_row *row)
{
	const struct wt_pmu_model *model = row->core == WT_CORES_MIXED
						   ? NULL
						   : text->found->plan->cores.types[row->core].model;
	char whose[160], runs[32] = "";

	wt_stat_whose(text->found, row, whose);
	if (repeated(text))
		snprintf(runs, sizeof(runs), " (%u runs)", text->result->n_runs);
	wt_buf_printf(text->out, "\nPerformance counter stats for %s%s, %s, kernel mode %s", whose, runs,
		      text->result->multiplexed ? "multiplexed" : "no multiplexing",
		      wt_stat_kernel(text->found));
	if (model && model->vendor && model->vendor[0])
		wt_buf_printf(text->out, ", on %s core implementation", model->vendor);
	wt_buf_puts(text->out, ":\n");
}

static void put_key(const struct text *text)
{
	wt_buf_puts(text->out,
		    "note: 'e' - normal event, 'gN' - grouped event with group number N, metric name will "
		    "be appended if 'e' or 'g' comes from it\n\n");
}

/* ---- the counts ---- */

static void begin_counts(struct text *text)
{
	struct wt_table *table = &text->table;

	wt_table_column(table, "counter value", true);
	if (repeated(text)) {
		wt_table_column(table, "deviation", true);
		wt_table_column(table, "+-", true);
	}
	wt_table_column(table, "event name", false);
	wt_table_column(table, "event idx", false);
	wt_table_column(table, "event note", false);
	if (!text->result->multiplexed)
		return;
	wt_table_column(table, "multiplexed", true);
	wt_table_column(table, "scaled value", true);
	wt_table_column(table, "95 % within", true);
}

/* As in perf: deviation of the mean, relative to it. */
static void put_deviation(struct text *text, const struct wt_count_value *value)
{
	double of_mean = value->deviation / sqrt(text->result->n_runs);

	if (wt_stat_no_count(value)) {
		wt_table_cell(&text->table, "n/a");
		wt_table_cell(&text->table, "n/a");
		return;
	}
	wt_table_count(&text->table, value->deviation);
	if (value->scaled.value > 0)
		wt_table_cell(&text->table, "%.2f %%", 100 * of_mean / value->scaled.value);
	else
		wt_table_cell(&text->table, "n/a");
}

static void put_scaled(struct text *text, const struct wt_count_event *event,
		       const struct wt_count_value *value)
{
	char turns[48];

	wt_stat_turns(event, value, turns);
	wt_table_cell(&text->table, "%s", turns);
	if (wt_stat_no_count(value)) {
		wt_table_cell(&text->table, "n/a");
		wt_table_cell(&text->table, "n/a");
		return;
	}
	wt_table_count(&text->table, value->scaled.value);
	if (value->scaled.half < 0)
		wt_table_cell(&text->table, "?");
	else if (value->running >= value->enabled)
		wt_table_cell(&text->table, "exact");
	else
		wt_table_cell(&text->table, "+-%.2f %%",
			      value->scaled.value > 0 ? 100 * value->scaled.half / value->scaled.value : 0);
}

/* Nanoseconds say so. */
static const char *unit_of(const struct wt_count_event *event)
{
	return wt_count_event_is_clock(event) ? ",ns" : "";
}

static void put_count(struct text *text, const struct wt_count_row *row, size_t i)
{
	const struct wt_count_event *event = &text->found->plan->list.events[i];
	const struct wt_count_value *value = &row->values[i];
	const char *no_count = wt_stat_no_count(value);
	char index[24], note[96];

	if (no_count)
		wt_table_cell(&text->table, "<%s>", no_count);
	else
		wt_table_count(&text->table, (double)value->count);
	if (repeated(text))
		put_deviation(text, value);
	wt_stat_index(event, index);
	wt_stat_note(event, note);
	wt_table_cell(&text->table, "%s", event->name);
	wt_table_cell(&text->table, "%s", index);
	wt_table_cell(&text->table, "%s%s", note, unit_of(event));
	if (text->result->multiplexed)
		put_scaled(text, event, value);
}

static void put_counts(struct text *text, const struct wt_count_row *row)
{
	begin_counts(text);
	for (size_t i = 0; i < text->found->plan->list.n; i++)
		if (wt_stat_shows(text->found, row, i))
			put_count(text, row, i);
	wt_table_print(&text->table, text->out);
}

/* ---- metrics ---- */

static void put_metric(struct text *text, const struct wt_count_row *row, size_t i)
{
	const struct wt_metric_use *use = &text->found->plan->metrics.metrics[i];
	const struct wt_metric_value *value = &row->metrics[i];
	size_t core = row->core == WT_CORES_MIXED ? 0 : row->core;
	const struct wt_pmu_metric *metric = use->ways[core].metric;

	if (row->cpu >= 0)
		wt_table_cell(&text->table, "%d", row->cpu);
	else
		wt_table_cell(&text->table,
			      row->tid >= 0   ? "%d"
			      : row->pid >= 0 ? "%d"
					      : "all",
			      row->tid >= 0 ? row->tid : row->pid);
	wt_table_cell(&text->table, "%s",
		      row->core == WT_CORES_MIXED ? "several"
						  : text->found->plan->cores.types[core].model->name);
	wt_table_cell(&text->table, "%s", use->name);
	if (value->given)
		wt_table_cell(&text->table, "%.3f", value->span.value);
	else
		wt_table_cell(&text->table, "n/a");
	wt_table_cell(&text->table, "%s", metric && metric->unit ? metric->unit : "");
	if (!text->result->multiplexed)
		return;
	if (value->given && value->span.low <= value->span.high)
		wt_table_cell(&text->table, "%.3f..%.3f", value->span.low, value->span.high);
	else
		wt_table_cell(&text->table, value->given ? "?" : "n/a");
}

static void put_metrics(struct text *text)
{
	const struct wt_metric_list *metrics = &text->found->plan->metrics;
	bool any = false;

	for (size_t i = 0; i < metrics->n; i++)
		any = any || metrics->metrics[i].valued;
	if (!any)
		return;
	wt_buf_puts(text->out, "\nTelemetry Solution Metrics:\n\n");
	wt_table_column(&text->table,
			text->result->by == WT_BY_PROCESS  ? "process"
			: text->result->by == WT_BY_THREAD ? "thread"
							   : "core",
			false);
	wt_table_column(&text->table, "product_name", false);
	wt_table_column(&text->table, "metric_name", false);
	wt_table_column(&text->table, "value", true);
	wt_table_column(&text->table, "unit", false);
	if (text->result->multiplexed)
		wt_table_column(&text->table, "95 % within", false);
	for (size_t r = 0; r < wt_stat_rows(text->result); r++)
		for (size_t i = 0; i < metrics->n; i++)
			if (wt_stat_shows_metric(text->found, wt_stat_row(text->result, r), i))
				put_metric(text, wt_stat_row(text->result, r), i);
	wt_table_print(&text->table, text->out);
}

/* ---- notes ---- */

/* Puts the reasons of requested events that were not counted, each once. */
static void put_reasons(const struct text *text)
{
	const struct wt_count_list *list = &text->found->plan->list;
	const char *said = "";

	for (size_t i = 0; i < list->n; i++) {
		const char *why = wt_counting_why(text->found->counting, i);

		if (!why[0] || !strcmp(why, said) || list->events[i].optional)
			continue;
		wt_buf_printf(text->out, "note: %s\n", why);
		said = why;
	}
}

/* Puts the default events, other than hardware events, that this user may not count. */
static void put_forbidden(const struct text *text)
{
	const struct wt_count_list *list = &text->found->plan->list;
	bool any = false;

	for (size_t i = 0; i < list->n; i++) {
		const struct wt_count_event *event = &list->events[i];

		if (!event->optional || !strcmp(wt_count_event_class(event), "hw") ||
		    !wt_counting_why(text->found->counting, i)[0])
			continue;
		wt_buf_printf(text->out, "%s%s", any ? ", " : "note: this user may not count ", event->name);
		any = true;
	}
	wt_buf_puts(text->out, any ? "\n" : "");
}

/* Only existing default events are counted; the missing ones are named. */
static void put_missing(const struct text *text)
{
	const struct wt_count_list *list = &text->found->plan->list;
	size_t hardware = 0, missing = 0;

	for (size_t i = 0; i < list->n; i++) {
		bool is_hardware = list->events[i].optional &&
				   !strcmp(wt_count_event_class(&list->events[i]), "hw");

		hardware += is_hardware;
		missing += is_hardware && wt_counting_why(text->found->counting, i)[0];
	}
	if (!missing)
		return;
	if (missing == hardware) {
		wt_buf_puts(text->out,
			    "note: there is no hardware PMU here: only software events are counted\n");
		return;
	}
	wt_buf_puts(text->out, "note: this PMU does not count");
	for (size_t i = 0; i < list->n; i++)
		if (!strcmp(wt_count_event_class(&list->events[i]), "hw") && list->events[i].optional &&
		    wt_counting_why(text->found->counting, i)[0])
			wt_buf_printf(text->out, " %s", list->events[i].name);
	wt_buf_puts(text->out, "\n");
}

static void put_narrowed(const struct text *text)
{
	const struct wt_count_list *list = &text->found->plan->list;
	bool clocks = false;

	if (!wt_counting_narrowed(text->found->counting))
		return;
	for (size_t i = 0; i < list->n; i++)
		clocks = clocks || wt_count_event_is_clock(&list->events[i]);
	wt_buf_printf(text->out,
		      "note: user mode alone is counted%s: kernel.perf_event_paranoid lets this user see no "
		      "more\n",
		      clocks ? " (of clocks, all modes)" : "");
}

/* Puts the CPUs that went offline; true: there are any. */
static bool put_gone(const struct text *text)
{
	const struct wt_counting *counting = text->found->counting;
	bool any = false;

	for (size_t i = 0; i < wt_counting_units(counting); i++)
		if (wt_counting_gone(counting, i)) {
			wt_buf_printf(text->out,
				      "note: CPU %d went offline: its counts end there, and so does its part "
				      "of the sum\n",
				      wt_counting_unit(counting, i)->cpu);
			any = true;
		}
	return any;
}

static void put_notes(const struct text *text)
{
	size_t before = text->out->len;
	int split = wt_counting_split(text->found->counting);
	bool gone;

	wt_buf_puts(text->out, "\n");
	put_reasons(text);
	put_missing(text);
	put_forbidden(text);
	put_narrowed(text);
	if (split)
		wt_buf_printf(text->out,
			      "note: the events of %d metric%s do not fit the PMU at once, and took turns "
			      "one by one\n",
			      split, split > 1 ? "s" : "");
	gone = put_gone(text);
	for (size_t i = 0; !gone && i < text->found->plan->list.n; i++)
		if (text->result->total.values[i].state == WT_COUNT_NEVER_RAN ||
		    text->result->total.values[i].partial) {
			wt_buf_puts(text->out,
				    "note: <not counted>: its turn never came: other users held the PMU's "
				    "counters, or the run was shorter than a turn\n");
			break;
		}
	if (text->out->len == before + 1)
		text->out->len = before;
}

static void put_elapsed(const struct text *text)
{
	wt_buf_printf(text->out, "\n                %.*f seconds time elapsed",
		      text->result->elapsed < 10e9 ? 6 : 2, text->result->elapsed / (double)WT_NSEC);
	if (repeated(text))
		wt_buf_printf(text->out, " +- %.6f", text->result->elapsed_deviation / (double)WT_NSEC);
	wt_buf_puts(text->out, "\n");
}

void wt_stat_text(const struct wt_stat_found *found, struct wt_buf *out)
{
	struct text text = {.found = found, .result = found->result, .out = out};
	size_t n = wt_stat_rows(found->result);

	for (size_t i = 0; i < n; i++) {
		const struct wt_count_row *row = wt_stat_row(found->result, i);

		if (i && row == &found->result->total)
			wt_buf_puts(out,
				    found->plan->whole ? "\nSystem-wide Overall:\n\n" : "\nOverall:\n\n");
		else
			put_title(&text, row);
		if (!i)
			put_key(&text);
		else if (row != &found->result->total)
			wt_buf_puts(out, "\n");
		put_counts(&text, row);
	}
	put_metrics(&text);
	wt_stat_topdown(found, out);
	put_notes(&text);
	put_elapsed(&text);
	wt_table_deinit(&text.table);
}
