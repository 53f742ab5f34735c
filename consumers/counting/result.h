/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The results of a run: rows of one value for each event, by CPU, kind of core, process or thread, and their
 * sum.
 */
#ifndef CONSUMERS_COUNTING_RESULT_H
#define CONSUMERS_COUNTING_RESULT_H

#include "consumers/counting/counting.h"
#include "consumers/counting/metric_list.h"

enum wt_count_by { WT_BY_TOTAL, WT_BY_CPU, WT_BY_TYPE, WT_BY_PROCESS, WT_BY_THREAD };

struct wt_count_value {
	enum wt_count_state state; /**< the best state of all units */
	bool partial;              /**< it lacks units that never had a counter */
	uint64_t count;            /**< not scaled; of repeated runs the mean, rounded */
	uint64_t enabled, running; /**< ns, summed over units */
	struct wt_estimate scaled;
	double deviation; /**< of repeated runs: standard deviation of the scaled counts; else 0 */
};

struct wt_metric_value {
	bool given;          /**< false: n/a */
	struct wt_span span; /**< low > high: no bounds are known */
	double deviation;    /**< as above */
};

struct wt_count_row {
	int cpu, pid, tid; /**< -1: none */
	size_t core;       /**< kind of core; WT_CORES_MIXED: of several */
	bool offline;      /**< a CPU of the row went offline: its counts end there */
	char comm[16];
	struct wt_count_value *values;   /**< owned, one for each event */
	struct wt_metric_value *metrics; /**< owned, one for each metric */
};

#define WT_CORES_MIXED SIZE_MAX

struct wt_count_result {
	enum wt_count_by by;
	struct wt_count_row *rows; /**< owned; none by total */
	size_t n_rows;
	struct wt_count_row total;
	bool multiplexed;
	unsigned n_runs; /**< 1, or how often the command was repeated */
	double elapsed;  /**< ns; of repeats the mean */
	double elapsed_deviation;
};

/** Makes the result of the run's last read. elapsed: ns that were counted. metrics may be NULL. Undo with
 * wt_count_result_deinit. */
int wt_count_result_of(const struct wt_counting *counting, const struct wt_count_list *list,
		       const struct wt_metric_list *metrics, const struct wt_cores *cores,
		       enum wt_count_by by, double elapsed, struct wt_count_result *ret, struct wt_err *err);
void wt_count_result_deinit(struct wt_count_result *result);

/** The mean of several results of the same rows, with their deviations. -1: their rows differ, or no memory.
 */
int wt_count_result_mean(const struct wt_count_result *results, size_t n, size_t n_events, size_t n_metrics,
			 struct wt_count_result *ret, struct wt_err *err);

#endif
