/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The topdown tree of a model with values: its rows, the way to the node that stands out, and the next step.
 *
 * A node stands out when its metric is over the vendor's threshold; where the vendor gives none, the greatest
 * among the metrics beside it in the same unit does. The way begins at the roots and follows what stands out,
 * at each step the greatest. Where only groups of metrics follow (Arm's "effectiveness" groups), their
 * greatest metric in MPKI is the last step: misses per thousand instructions can be compared with one
 * another, ratios cannot.
 *
 * Pure functions of the model and the values; any thread.
 */
#ifndef CONSUMERS_PMU_TOPDOWN_H
#define CONSUMERS_PMU_TOPDOWN_H

#include "consumers/pmu/model.h"
#include "consumers/pmu/tree.h"
#include "tracecore/base/buf.h"

/** The value of a metric; false: not measured, or n/a. */
typedef bool wt_topdown_value(void *ctx, const struct wt_pmu_metric *metric, struct wt_span *ret);

/** A row of the tree: a metric that has a value, or a group with one that has (metric NULL, no value). */
struct wt_topdown_row {
	const struct wt_pmu_node *node;
	const struct wt_pmu_metric *metric;
	struct wt_span value;
	unsigned depth;
	bool stands_out; /**< on the way that wt_topdown_find describes */
};

typedef void wt_topdown_take(void *ctx, const struct wt_topdown_row *row);

/** The maximum number of rows that a walk reports. */
#define WT_TOPDOWN_ROWS 4096

/** Reports the rows from the roots down, each node before those that follow it. Returns how many. */
size_t wt_topdown_walk(const struct wt_pmu_model *model, wt_topdown_value *value, void *value_ctx,
		       wt_topdown_take *take, void *take_ctx);

/** The way to the node that stands out. */
struct wt_topdown_way {
	struct wt_topdown_row step[WT_PMU_TREE_DEEP];
	size_t n;                           /**< 0: nothing was measured */
	const struct wt_pmu_metric *sample; /**< the last on the way with events to sample; NULL: none has */
	const struct wt_pmu_node *end;      /**< the last node of the tree on the way */
};

void wt_topdown_find(const struct wt_pmu_model *model, wt_topdown_value *value, void *ctx,
		     struct wt_topdown_way *ret);

/** Describes the way in one line without a line feed: "frontend bound 41 %, l1i cache mpki 23.5 MPKI: sample
 * l1i_cache_refill". When groups or metrics that follow were not measured: "; measure NAME,NAME for more".
 * Nothing when nothing was measured. */
void wt_topdown_say(const struct wt_pmu_model *model, wt_topdown_value *value, void *ctx,
		    const struct wt_topdown_way *way, struct wt_buf *out);

#endif
