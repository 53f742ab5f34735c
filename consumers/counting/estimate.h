/* SPDX-License-Identifier: MIT */
/**
 * @file
 * From what was counted in a part of the time to the whole time, with how far that can be trusted.
 *
 * A counter that took turns with others ran for R of E ns and counted c. The estimate is c * E / R. Reads on
 *the way cut the time into batches (v_i counted in r_i ns), at most 2 * WT_BATCHES of equal length, joined in
 *pairs as the time grows. With n batches in which it ran, and the rate q = c / R, the residuals d_i = v_i - q
 ** r_i say how much the rate differs from batch to batch. The half width is the ratio estimator's with the
 *part that was seen taken out:
 *
 *	half = t(n - 1) * E / R * sqrt((1 - R / E) * n / (n - 1) * sum(d_i^2))
 *
 * t is Student's at 95 %, two-sided. A rate that repeats in step with the turns would be seen in always the
 * same phase; ghosts.c breaks that step on the PMU of the cores. The true count is never below what was
 * counted. With fewer than 2 batches no bounds are known.
 */
#ifndef CONSUMERS_COUNTING_ESTIMATE_H
#define CONSUMERS_COUNTING_ESTIMATE_H

#include <stddef.h>

#include "consumers/pmu/formula.h"
#include "providers/perf/counter.h"

enum { WT_BATCHES = 16 };

struct wt_batch {
	double value, running;
};

/** Zeroed is empty. */
struct wt_batches {
	unsigned n;
	unsigned per, have; /**< reads that make a batch (0: one), reads in `part` */
	struct wt_batch part, batch[2 * WT_BATCHES];
};

/** What was counted since the last read. */
void wt_batches_add(struct wt_batches *batches, const struct wt_count *since);

struct wt_estimate {
	double value;
	double half;  /**< half the width of the 95 % interval; negative: not known */
	double least; /**< what was counted for certain */
};

/** The whole count of a counter that ran (running is not 0). batches: NULL when there were no reads on the
 * way. */
struct wt_estimate wt_estimate_of(const struct wt_count *count, const struct wt_batches *batches);
/** The sum of two counts whose errors have nothing to do with each other. */
struct wt_estimate wt_estimate_add(struct wt_estimate a, struct wt_estimate b);
/** As metrics take it. */
struct wt_span wt_estimate_span(const struct wt_estimate *estimate);

#endif
