/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Quantiles from logarithmic buckets: 128 per power of two, so that a value is known within 0.8 %, and
 * integers below 256 exactly. Buckets add up, which exact lists would do only by keeping every value.
 */
#ifndef CONSUMERS_ANALYSIS_QUANTILE_H
#define CONSUMERS_ANALYSIS_QUANTILE_H

#include "tracecore/base/intern.h"

/** Bucket of a value; buckets have the order of values. */
uint64_t wt_quantile_bucket(double value);
/** Middle of a bucket, its only value where it has one. */
double wt_quantile_value(uint64_t bucket);

/** Returns the position, from 1, of the value up to which a share `rank` of the n sorted values lies (nearest
 * rank). */
uint64_t wt_quantile_rank(double rank, uint64_t n);

/** The ids of pairs (node, bucket), sorted. malloc'd; NULL when memory is out. */
uint32_t *wt_quantile_order(const struct wt_intern *pairs);
/** The value below which a share `rank` of the node's values lies (nearest rank). false: no values. */
bool wt_quantile(const struct wt_intern *pairs, const uint64_t *counts, const uint32_t *order, uint32_t node,
		 double rank, double *ret);

#endif
