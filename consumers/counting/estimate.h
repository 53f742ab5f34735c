/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Estimates the count of the whole time from the count of a part of it, with bounds of the error.
 *
 * A counter that took turns with others ran for R of E ns and counted c. The estimate is c * E / R. Reads
 * during the run cut the time into batches (v_i counted in r_i ns): at most 2 * WT_BATCHES of equal length,
 * joined in pairs as the time grows. There are n batches in which it ran. With the rate q = c / R, the
 * residuals d_i = v_i - q * r_i show how much the rate differs from batch to batch. Their spread is
 * Student's, at 95 %, two-sided:
 *
 *	spread = t(n - 1) * sqrt(n / (n - 1) * sum(d_i^2))
 *	half = spread * E / R * max(1, u + sqrt(u * (1 - u)))
 *
 * u = 1 - R / E is the part of the time that was not seen.
 *
 * The interval is wider where there is less evidence, in three ways.
 *
 * A turn that is cut into several batches is only one observation. Where the counter ran for a part of the
 * time between two reads, a turn began or ended; each turn has two such ends. Batches are joined until
 * there are no more of them than turns that these ends prove. With fewer than 4 turns no bounds are known.
 *
 * Consecutive batches may see the same phase of a load. Therefore the spread of pairs of batches is computed
 * too, where there are 4 pairs, and the larger spread counts.
 *
 * The result is not reduced for the part that was seen (a factor of sqrt(u)). That would be right only if
 * the parts of a load had nothing to do with each other. The whole count of a periodic load is almost
 * fixed, so a phase that is seen too rarely is also missed too often: its factor is 1. u + sqrt(u * (1 -
 * u)) is the largest factor for any relation of the two parts, if the unseen part varies as the seen one
 * does.
 *
 * When a rate repeats in step with the turns, always the same phase is seen, and no read during the run can
 * show that; ghosts.c breaks that step on the PMU of the cores. The true count is never below the counted
 * one.
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

/** How much of the time between two reads the counter ran. */
enum wt_batch_time { WT_TIME_UNKNOWN, WT_TIME_NONE, WT_TIME_PART, WT_TIME_ALL };

/** Zeroed is empty. */
struct wt_batches {
	unsigned n;
	unsigned per, have; /**< reads that make a batch (0: one); reads in `part` */
	unsigned ends;      /**< reads before which a turn began or ended */
	enum wt_batch_time before;
	struct wt_batch part, batch[2 * WT_BATCHES];
};

/** Adds the count since the last read. */
void wt_batches_add(struct wt_batches *batches, const struct wt_count *since);

struct wt_estimate {
	double value;
	double half;  /**< half the width of the 95 % interval; negative: not known */
	double least; /**< the part that was counted */
};

/** The whole count of a counter that ran (running is not 0). batches: NULL without reads during the run. */
struct wt_estimate wt_estimate_of(const struct wt_count *count, const struct wt_batches *batches);
/** The sum of two counts. One load may cause the errors of both, so the half widths add up. */
struct wt_estimate wt_estimate_add(struct wt_estimate a, struct wt_estimate b);
/** The estimate in the form that metrics take. */
struct wt_span wt_estimate_span(const struct wt_estimate *estimate);

#endif
