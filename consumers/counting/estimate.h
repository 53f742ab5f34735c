/* SPDX-License-Identifier: MIT */
/**
 * @file
 * From what was counted in a part of the time to the whole time, with how far that can be trusted.
 *
 * A counter that took turns with others ran for R of E ns and counted c. The estimate is c * E / R. Reads on
 * the way cut the time into batches (v_i counted in r_i ns), at most 2 * WT_BATCHES of equal length, joined
 *in pairs as the time grows. With n batches in which it ran, and the rate q = c / R, the residuals d_i = v_i
 *- q
 * * r_i say how much the rate differs from batch to batch. Their spread is Student's, at 95 %, two-sided:
 *
 *	spread = t(n - 1) * sqrt(n / (n - 1) * sum(d_i^2))
 *	half = spread * E / R * max(1, u + sqrt(u * (1 - u)))    with u = 1 - R / E, the part that was not
 *seen
 *
 * Three things make thin evidence weaker, and the interval wider:
 *
 *	- A turn that is cut into several batches is one look, not several. Where the counter
 *	  ran for a part of the time between two reads there is an end of a turn, and a turn has two. Batches
 *are joined until there are no more of them than turns that these ends prove. With fewer than 4 turns no
 *	  bounds are known.
 *	- Batches that follow each other may see the same phase of a load. The spread of pairs of batches is
 *	  computed too, where there are 4 pairs, and the larger of the two counts.
 *	- The part that was seen is not taken out (a factor of sqrt(u)): that holds for a load whose parts
 *have nothing to do with each other. Of a periodic load the whole count is all but fixed, and what is seen
 *too little is unseen too much: its factor is 1. u + sqrt(u * (1 - u)) is the most that any relation of the
 *	  two parts can make, if the unseen one varies as the seen one does.
 *
 * A rate that repeats in step with the turns is seen in always the same phase, and no read on the way can
 *tell that; ghosts.c breaks that step on the PMU of the cores. The true count is never below what was
 *counted.
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

/** For how much of the time between two reads it ran. */
enum wt_batch_time { WT_TIME_UNKNOWN, WT_TIME_NONE, WT_TIME_PART, WT_TIME_ALL };

/** Zeroed is empty. */
struct wt_batches {
	unsigned n;
	unsigned per, have; /**< reads that make a batch (0: one), reads in `part` */
	unsigned ends;      /**< reads before which a turn began or ended */
	enum wt_batch_time before;
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
/** The sum of two counts. Their errors may be those of one load, so that the half widths add up. */
struct wt_estimate wt_estimate_add(struct wt_estimate a, struct wt_estimate b);
/** As metrics take it. */
struct wt_span wt_estimate_span(const struct wt_estimate *estimate);

#endif
