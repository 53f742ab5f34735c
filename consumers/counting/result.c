// SPDX-License-Identifier: MIT
#include "consumers/counting/result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tracecore/base/grow.h"

struct making {
	const struct wt_counting *counting;
	const struct wt_count_list *list;
	const struct wt_metric_list *metrics;
	const struct wt_cores *cores;
	struct wt_count_result *result;
	struct wt_err *err;
};

static size_t n_metrics(const struct wt_metric_list *metrics)
{
	return metrics ? metrics->n : 0;
}

static int row_init(struct wt_count_row *row, size_t n_events, size_t n_values, struct wt_err *err)
{
	row->values = calloc(n_events + 1, sizeof(*row->values));
	row->metrics = calloc(n_values + 1, sizeof(*row->metrics));
	return row->values && row->metrics ? 0 : wt_fail_nomem(err);
}

static void row_deinit(struct wt_count_row *row)
{
	free(row->values);
	free(row->metrics);
}

void wt_count_result_deinit(struct wt_count_result *result)
{
	for (size_t i = 0; i < result->n_rows; i++)
		row_deinit(&result->rows[i]);
	row_deinit(&result->total);
	free(result->rows);
	*result = (struct wt_count_result){0};
}

/* ---- rows ---- */

static bool same_row(enum wt_count_by by, const struct wt_count_row *row, const struct wt_count_unit *unit)
{
	return by == WT_BY_CPU       ? row->cpu == unit->cpu
	       : by == WT_BY_TYPE    ? row->core == unit->core
	       : by == WT_BY_PROCESS ? row->pid == unit->pid
				     : row->tid == unit->tid;
}

static void name_row(struct wt_count_row *row, enum wt_count_by by, const struct wt_count_unit *unit)
{
	row->cpu = by == WT_BY_CPU ? unit->cpu : -1;
	row->pid = by == WT_BY_PROCESS || by == WT_BY_THREAD ? unit->pid : -1;
	row->tid = by == WT_BY_THREAD ? unit->tid : -1;
	row->core = unit->core;
	if (by == WT_BY_THREAD || (by == WT_BY_PROCESS && (unit->tid == unit->pid || !row->comm[0])))
		memcpy(row->comm, unit->comm, sizeof(row->comm));
}

static struct wt_count_row *row_of(struct making *making, const struct wt_count_unit *unit)
{
	struct wt_count_result *result = making->result;
	struct wt_count_row *row;

	if (result->by == WT_BY_TOTAL)
		return NULL;
	/* Units of one row usually follow each other, so the search begins at the end. */
	for (size_t i = result->n_rows; i-- > 0;)
		if (same_row(result->by, &result->rows[i], unit)) {
			if (unit->tid == unit->pid)
				name_row(&result->rows[i], result->by, unit);
			return &result->rows[i];
		}
	if (wt_grow_one(&result->rows, result->n_rows, making->err))
		return NULL;
	row = &result->rows[result->n_rows++];
	*row = (struct wt_count_row){0};
	name_row(row, result->by, unit);
	if (unit->cpu < 0 && making->cores->n > 1)
		row->core = WT_CORES_MIXED;
	return row_init(row, making->list->n, n_metrics(making->metrics), making->err) ? NULL : row;
}

/* ---- values ---- */

static void add(struct wt_count_value *value, const struct wt_count_cell *cell)
{
	bool lacks = cell->state == WT_COUNT_NEVER_RAN;

	value->partial = value->partial || (lacks && value->state == WT_COUNT_COUNTED) ||
			 (cell->state == WT_COUNT_COUNTED && value->state == WT_COUNT_NEVER_RAN);
	value->state = cell->state > value->state ? cell->state : value->state;
	value->enabled += cell->count.enabled;
	value->running += cell->count.running;
	if (cell->state != WT_COUNT_COUNTED)
		return;
	value->count += cell->count.value;
	value->scaled = wt_estimate_add(value->scaled, cell->estimate);
}

static void add_unit(const struct making *making, size_t unit, struct wt_count_row *row)
{
	row->offline = row->offline || wt_counting_gone(making->counting, unit);
	for (size_t i = 0; i < making->list->n; i++) {
		const struct wt_count_cell cell = wt_counting_cell(making->counting, unit, i);

		add(&row->values[i], &cell);
	}
}

static void settle(const struct making *making, struct wt_count_row *row)
{
	for (size_t i = 0; i < making->list->n; i++)
		if (row->values[i].partial)
			row->values[i].scaled.half = -1;
}

/* ---- metrics ---- */

enum { FEW_NAMES = 32 };

static bool property_of(const struct making *making, const char *name, struct wt_span *ret)
{
	double value;

	if (!wt_pmu_property(making->cores->models, name, making->result->elapsed / 1e9, &value))
		return false;
	*ret = (struct wt_span){value, value, value};
	return true;
}

/* False: one of its events has no count, or the machine does not report a property. */
static bool spans_of(const struct making *making, const struct wt_count_row *row,
		     const struct wt_metric_way *way, const char *const *names, size_t n, struct wt_span *ret)
{
	for (size_t i = 0; i < n; i++) {
		const struct wt_count_value *value;

		if (way->events[i] == WT_METRIC_PROPERTY) {
			if (!property_of(making, names[i], &ret[i]))
				return false;
			continue;
		}
		value = &row->values[way->events[i]];
		if (value->state != WT_COUNT_COUNTED)
			return false;
		ret[i] = wt_estimate_span(&value->scaled);
	}
	return true;
}

static int compute(const struct making *making, struct wt_count_row *row, size_t metric)
{
	const struct wt_metric_way *way;
	struct wt_span few[FEW_NAMES], *spans = few;
	const char *const *names;
	size_t n;

	way = &making->metrics->metrics[metric].ways[row->core == WT_CORES_MIXED ? 0 : row->core];
	if (!way->formula || (row->core == WT_CORES_MIXED && !way->metric->shared))
		return 0;
	n = wt_formula_names(way->formula, &names);
	if (n > FEW_NAMES && !(spans = calloc(n, sizeof(*spans))))
		return wt_fail_nomem(making->err);
	row->metrics[metric].given = spans_of(making, row, way, names, n, spans) &&
				     wt_formula_eval(way->formula, spans, &row->metrics[metric].span) &&
				     isfinite(row->metrics[metric].span.value);
	if (spans != few)
		free(spans);
	return 0;
}

static int finish(struct making *making, struct wt_count_row *row)
{
	settle(making, row);
	for (size_t i = 0; i < n_metrics(making->metrics); i++)
		if (compute(making, row, i))
			return -1;
	return 0;
}

/* ---- the whole ---- */

static int make(struct making *making)
{
	struct wt_count_result *result = making->result;
	size_t n = wt_counting_units(making->counting);

	result->total = (struct wt_count_row){.cpu = -1, .pid = -1, .tid = -1};
	if (making->cores->n > 1)
		result->total.core = WT_CORES_MIXED;
	if (row_init(&result->total, making->list->n, n_metrics(making->metrics), making->err))
		return -1;
	for (size_t i = 0; i < n; i++) {
		struct wt_count_row *row = row_of(making, wt_counting_unit(making->counting, i));

		if (!row && result->by != WT_BY_TOTAL)
			return -1;
		if (row)
			add_unit(making, i, row);
		add_unit(making, i, &result->total);
	}
	for (size_t i = 0; i < result->n_rows; i++)
		if (finish(making, &result->rows[i]))
			return -1;
	return finish(making, &result->total);
}

int wt_count_result_of(const struct wt_counting *counting, const struct wt_count_list *list,
		       const struct wt_metric_list *metrics, const struct wt_cores *cores,
		       enum wt_count_by by, double elapsed, struct wt_count_result *ret, struct wt_err *err)
{
	struct wt_count_result result = {
		.by = by, .n_runs = 1, .elapsed = elapsed, .multiplexed = wt_counting_multiplexed(counting)};
	struct making making = {counting, list, metrics, cores, &result, err};

	if (make(&making)) {
		wt_count_result_deinit(&result);
		return -1;
	}
	*ret = result;
	return 0;
}
