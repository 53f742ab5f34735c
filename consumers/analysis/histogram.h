/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The distribution of a field's values for each row of a table: exact counts by powers of two.
 *
 * Bucket 0 is for 0 and less, bucket b for 2^(b-1) up to 2^b. Memory is that of the buckets with values.
 */
#ifndef CONSUMERS_ANALYSIS_HISTOGRAM_H
#define CONSUMERS_ANALYSIS_HISTOGRAM_H

#include "consumers/analysis/aggregate.h"

enum { WT_HISTOGRAM_BUCKETS = 65 };

/** Zeroed is empty. */
struct wt_view_histogram {
	struct wt_view_field field;
	struct wt_intern pairs; /**< (node, bucket) */
	uint64_t *counts;       /**< by pair; owned */
	uint32_t cap;
	uint32_t *order; /**< after roll: pairs by node and bucket; owned */
};

/** -1: WT_ERR_USAGE when it is not a field, or not of numbers. */
int wt_view_histogram_init(struct wt_view_histogram *histogram, const struct wt_view_file *file,
			   const char *word, struct wt_err *err);
void wt_view_histogram_deinit(struct wt_view_histogram *histogram);

/** Adds the events of a batch; as wt_view_column_add. */
int wt_view_histogram_add(struct wt_view_histogram *histogram, const struct wt_log_batch *batch,
			  const uint32_t *nodes, struct wt_err *err);
/** Adds every row of a finished table to the one above. Once. */
int wt_view_histogram_roll(struct wt_view_histogram *histogram, const struct wt_view_forest *rows,
			   struct wt_err *err);

/** The counts of a row by bucket; their sum. */
uint64_t wt_view_histogram_of(const struct wt_view_histogram *histogram, uint32_t node,
			      uint64_t ret[WT_HISTOGRAM_BUCKETS]);
/** The least value of a bucket: 0, 1, 2, 4... */
double wt_view_histogram_least(uint32_t bucket);

#endif
