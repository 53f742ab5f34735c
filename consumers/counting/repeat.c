// SPDX-License-Identifier: MIT
/* The mean of several runs of one command (result.h). */
#include "consumers/counting/result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Mean and standard deviation of values of whatever size, in two passes. */
static double mean_of(const struct wt_count_result *results, size_t n,
		      double (*get)(const struct wt_count_result *result, size_t row, size_t column),
		      size_t row, size_t column, double *deviation)
{
	double sum = 0, squares = 0, mean;

	for (size_t i = 0; i < n; i++)
		sum += get(&results[i], row, column);
	mean = sum / (double)n;
	for (size_t i = 0; i < n; i++) {
		double differs = get(&results[i], row, column) - mean;

		squares += differs * differs;
	}
	*deviation = n > 1 ? sqrt(squares / (double)(n - 1)) : 0;
	return mean;
}

/* Row n_rows is the total. */
static const struct wt_count_row *row_at(const struct wt_count_result *result, size_t row)
{
	return row < result->n_rows ? &result->rows[row] : &result->total;
}

static double scaled_at(const struct wt_count_result *result, size_t row, size_t column)
{
	return row_at(result, row)->values[column].scaled.value;
}

static double count_at(const struct wt_count_result *result, size_t row, size_t column)
{
	return (double)row_at(result, row)->values[column].count;
}

static double metric_at(const struct wt_count_result *result, size_t row, size_t column)
{
	return row_at(result, row)->metrics[column].span.value;
}

static double elapsed_at(const struct wt_count_result *result, size_t row, size_t column)
{
	(void)row;
	(void)column;
	return result->elapsed;
}

static void mean_value(const struct wt_count_result *results, size_t n, size_t row, size_t column,
		       struct wt_count_value *ret)
{
	double unused, halves = 0;

	*ret = row_at(&results[0], row)->values[column];
	ret->enabled = ret->running = 0;
	for (size_t i = 0; i < n; i++) {
		const struct wt_count_value *one = &row_at(&results[i], row)->values[column];

		/* A run in which the event was not counted has no value and is left out. */
		ret->state = one->state < ret->state ? one->state : ret->state;
		ret->partial = ret->partial || one->partial;
		ret->enabled += one->enabled;
		ret->running += one->running;
		halves = one->scaled.half < 0 || halves < 0 ? -1 : hypot(halves, one->scaled.half);
	}
	ret->scaled.value = mean_of(results, n, scaled_at, row, column, &ret->deviation);
	ret->scaled.half = halves < 0 ? -1 : halves / (double)n;
	ret->count = (uint64_t)llround(mean_of(results, n, count_at, row, column, &unused));
	ret->scaled.least = (double)ret->count;
}

static void mean_metric(const struct wt_count_result *results, size_t n, size_t row, size_t column,
			struct wt_metric_value *ret)
{
	*ret = (struct wt_metric_value){.given = true};
	for (size_t i = 0; i < n; i++)
		ret->given = ret->given && row_at(&results[i], row)->metrics[column].given;
	if (!ret->given)
		return;
	ret->span.value = mean_of(results, n, metric_at, row, column, &ret->deviation);
	ret->span.low = 1; /* the deviation says it */
	ret->span.high = 0;
}

static int mean_row(const struct wt_count_result *results, size_t n, size_t row, size_t n_events,
		    size_t n_metrics, struct wt_count_row *ret, struct wt_err *err)
{
	*ret = *row_at(&results[0], row);
	ret->values = calloc(n_events + 1, sizeof(*ret->values));
	ret->metrics = calloc(n_metrics + 1, sizeof(*ret->metrics));
	if (!ret->values || !ret->metrics)
		return wt_fail_nomem(err);
	for (size_t i = 0; i < n_events; i++)
		mean_value(results, n, row, i, &ret->values[i]);
	for (size_t i = 0; i < n_metrics; i++)
		mean_metric(results, n, row, i, &ret->metrics[i]);
	return 0;
}

int wt_count_result_mean(const struct wt_count_result *results, size_t n, size_t n_events, size_t n_metrics,
			 struct wt_count_result *ret, struct wt_err *err)
{
	struct wt_count_result mean = {.by = results[0].by, .n_runs = (unsigned)n};
	size_t n_rows = results[0].n_rows;
	int rc = 0;

	for (size_t i = 0; i < n; i++) {
		mean.multiplexed = mean.multiplexed || results[i].multiplexed;
		if (results[i].n_rows != n_rows)
			return wt_fail(err, WT_ERR_LIMIT, "the runs have different rows and no mean");
	}
	mean.rows = calloc(n_rows + 1, sizeof(*mean.rows));
	if (!mean.rows)
		return wt_fail_nomem(err);
	mean.elapsed = mean_of(results, n, elapsed_at, 0, 0, &mean.elapsed_deviation);
	for (; !rc && mean.n_rows < n_rows; mean.n_rows++)
		rc = mean_row(results, n, mean.n_rows, n_events, n_metrics, &mean.rows[mean.n_rows], err);
	rc = rc ? rc : mean_row(results, n, n_rows, n_events, n_metrics, &mean.total, err);
	if (rc)
		wt_count_result_deinit(&mean);
	else
		*ret = mean;
	return rc;
}
