// SPDX-License-Identifier: MIT
/* The results of stat as wperf's JSON. */
#include "consumers/stat/json_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tracecore/base/clock.h"

static void put_double(struct wt_json *json, const char *key, double value, int decimals)
{
	wt_json_key(json, key);
	if (isfinite(value))
		wt_buf_printf(json->out, "%.*f", decimals, value);
	else
		wt_buf_puts(json->out, "null");
}

static void put_scaled(const struct wt_stat_found *found, const struct wt_count_event *event,
		       const struct wt_count_value *value, struct wt_json *json)
{
	const struct wt_span span = wt_estimate_span(&value->scaled);
	bool counted = !wt_stat_no_count(value), bounded = counted && span.low <= span.high;
	char turns[48];

	(void)found;
	wt_stat_turns(event, value, turns);
	wt_json_text(json, "multiplexed", turns);
	put_double(json, "scaled_value", counted ? value->scaled.value : NAN, 0);
	put_double(json, "scaled_low", bounded ? span.low : NAN, 0);
	put_double(json, "scaled_high", bounded ? span.high : NAN, 0);
}

void wt_stat_json_counter(const struct wt_stat_found *found, const struct wt_count_row *row, size_t i,
			  const char *unit, struct wt_json *json)
{
	const struct wt_count_event *event = &found->plan->list.events[i];
	const struct wt_count_value *value = &row->values[i];
	char index[24], note[96];

	wt_stat_index(event, index);
	wt_stat_note(event, note);
	wt_json_object(json, NULL);
	if (unit)
		wt_json_text(json, "pmu_id", unit);
	if (wt_stat_no_count(value)) {
		wt_json_null(json, "counter_value");
		wt_json_text(json, "state", wt_stat_no_count(value));
	} else {
		wt_json_number(json, "counter_value", value->count);
	}
	wt_json_text(json, "event_name", event->name);
	wt_json_text(json, "event_idx", index);
	wt_json_text(json, "event_note", note);
	if (found->result->multiplexed)
		put_scaled(found, event, value, json);
	if (found->result->n_runs > 1)
		put_double(json, "deviation", wt_stat_no_count(value) ? NAN : value->deviation, 3);
	wt_json_end_object(json);
}

static void put_counters(const struct wt_stat_found *found, const char *key, const struct wt_count_row *row,
			 struct wt_json *json)
{
	wt_json_array(json, key);
	for (size_t i = 0; i < found->plan->list.n; i++)
		if (wt_stat_shows(found, row, i))
			wt_stat_json_counter(found, row, i, NULL, json);
	wt_json_end_array(json);
}

static void put_cores(const struct wt_stat_found *found, struct wt_json *json)
{
	const struct wt_count_result *result = found->result;

	wt_json_array(json, "cores");
	for (size_t i = 0; i < result->n_rows && result->by == WT_BY_CPU; i++) {
		wt_json_object(json, NULL);
		wt_json_number(json, "core_number", (uint64_t)result->rows[i].cpu);
		if (result->rows[i].offline)
			wt_json_bool(json, "offline", true);
		put_counters(found, "Performance_counter", &result->rows[i], json);
		wt_json_end_object(json);
	}
	wt_json_end_array(json);
}

/* Rows that wperf has no shape for: kinds of cores, processes, threads. */
static void put_others(const struct wt_stat_found *found, struct wt_json *json)
{
	const struct wt_count_result *result = found->result;

	if (result->by == WT_BY_CPU || result->by == WT_BY_TOTAL)
		return;
	wt_json_array(json, result->by == WT_BY_TYPE      ? "types"
			    : result->by == WT_BY_PROCESS ? "processes"
							  : "threads");
	for (size_t i = 0; i < result->n_rows; i++) {
		const struct wt_count_row *row = &result->rows[i];

		wt_json_object(json, NULL);
		if (result->by == WT_BY_TYPE)
			wt_json_text(json, "type", found->plan->cores.types[row->core].name);
		else
			wt_json_number(json, "pid", (uint64_t)row->pid);
		if (result->by == WT_BY_THREAD)
			wt_json_number(json, "tid", (uint64_t)row->tid);
		if (result->by != WT_BY_TYPE)
			wt_json_text(json, "comm", row->comm);
		put_counters(found, "Performance_counter", row, json);
		wt_json_end_object(json);
	}
	wt_json_end_array(json);
}

static void put_overall(const struct wt_stat_found *found, struct wt_json *json)
{
	wt_json_object(json, "overall");
	if (found->result->total.offline)
		wt_json_bool(json, "offline", true);
	if (found->result->n_rows != 1)
		put_counters(found, "Systemwide_Overall_Performance_Counters", &found->result->total, json);
	wt_json_end_object(json);
}

/* All fields are texts, as wperf has them. */
static void put_metric(const struct wt_stat_found *found, const struct wt_count_row *row, size_t i,
		       struct wt_json *json)
{
	const struct wt_metric_use *use = &found->plan->metrics.metrics[i];
	size_t core = row->core == WT_CORES_MIXED ? 0 : row->core;
	const struct wt_metric_value *value = &row->metrics[i];
	char text[64] = "n/a", who[32] = "all";

	if (row->cpu >= 0 || row->tid >= 0 || row->pid >= 0)
		snprintf(who, sizeof(who), "%d",
			 row->cpu >= 0   ? row->cpu
			 : row->tid >= 0 ? row->tid
					 : row->pid);
	if (value->given)
		snprintf(text, sizeof(text), "%.3f", value->span.value);
	wt_json_object(json, NULL);
	wt_json_text(json, "core", who);
	wt_json_text(json, "product_name",
		     row->core == WT_CORES_MIXED ? "several" : found->plan->cores.types[core].model->name);
	wt_json_text(json, "metric_name", use->name);
	wt_json_text(json, "value", text);
	wt_json_text(json, "unit",
		     use->ways[core].metric && use->ways[core].metric->unit ? use->ways[core].metric->unit
									    : "");
	if (found->result->multiplexed) {
		bool bounded = value->given && value->span.low <= value->span.high;

		put_double(json, "low", bounded ? value->span.low : NAN, 6);
		put_double(json, "high", bounded ? value->span.high : NAN, 6);
	}
	wt_json_end_object(json);
}

static void put_metrics(const struct wt_stat_found *found, struct wt_json *json)
{
	const struct wt_metric_list *metrics = &found->plan->metrics;
	bool any = false;

	for (size_t i = 0; i < metrics->n; i++)
		any = any || metrics->metrics[i].valued;
	wt_json_object(json, "ts_metric");
	if (any) {
		wt_json_array(json, "Telemetry_Solution_Metrics");
		for (size_t r = 0; r < wt_stat_rows(found->result); r++)
			for (size_t i = 0; i < metrics->n; i++)
				if (wt_stat_shows_metric(found, wt_stat_row(found->result, r), i))
					put_metric(found, wt_stat_row(found->result, r), i, json);
		wt_json_end_array(json);
	}
	wt_json_end_object(json);
}

void wt_stat_json(const struct wt_stat_found *found, const char *key, struct wt_json *json)
{
	wt_json_object(json, key);
	wt_json_object(json, "core");
	wt_json_bool(json, "Multiplexing", found->result->multiplexed);
	wt_json_bool(json, "Kernel_mode", strcmp(wt_stat_kernel(found), "excluded") != 0);
	put_cores(found, json);
	put_others(found, json);
	put_overall(found, json);
	put_metrics(found, json);
	wt_json_end_object(json);
	wt_stat_json_uncore(found, json);
	put_double(json, "Time_elapsed", found->result->elapsed / (double)WT_NSEC, 6);
	if (found->result->n_runs > 1) {
		wt_json_number(json, "runs", found->result->n_runs);
		put_double(json, "Time_elapsed_deviation", found->result->elapsed_deviation / (double)WT_NSEC,
			   6);
	}
	wt_json_end_object(json);
}
