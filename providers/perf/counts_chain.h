/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What a group of counters says in its records, one after the other: each says how much was counted since the
 * group was enabled, so the difference between two is what was counted in between.
 *
 * A record of a group ends in {n, ns enabled, ns running, n events}, in the order in which the events were
 * opened; each event is its value and, from Linux 6.0 on, how many of its records were lost. So each record
 * tells by itself whether one is missing before it. An event of period 1 counts its own records, lost ones
 * and those the kernel did not write for whatever reason: its value is one more than in the record before.
 * Of the others the losses are those of the record before. Differences add up to the last value whatever is
 * lost, for the next record has what a lost one had.
 *
 * One thread.
 */
#ifndef PROVIDERS_PERF_COUNTS_CHAIN_H
#define PROVIDERS_PERF_COUNTS_CHAIN_H

#include <stdbool.h>

#include "providers/perf/record.h"
#include "tracecore/base/buf.h"

/** Counters of one group. */
enum { WT_PERF_COUNTS_MOST = 16 };

/** All that was counted until one record. Zeroed: the moment the group was enabled. */
struct wt_perf_counted {
	uint64_t enabled, running; /**< ns */
	uint64_t own, lost;        /**< of the event that made the record: value, records lost */
	uint64_t value[WT_PERF_COUNTS_MOST];
};

/** What a sample's group says. first: how many of its events stand before the counters; own: which of those
 * made the record. -1: it is not of a group with that many events. */
int wt_perf_counted_parse(const struct wt_perf_record *record, uint32_t first, uint32_t own,
			  uint32_t n_counters, struct wt_perf_counted *ret);

/** Whether the event that made a record counts its records. */
enum wt_perf_period { WT_PERIOD_ONE, WT_PERIOD_MANY };

/** The step from one record to the next. A value that falls is no count: then it is over a loss. */
enum wt_counts_certainty wt_perf_counted_step(const struct wt_perf_counted *from,
					      const struct wt_perf_counted *to, uint32_t n_counters,
					      enum wt_perf_period period);

/** The payload of an event of provider `counters`: certainty, times, and of each counter the step; with
 * so_far also the value. */
void wt_perf_counted_put(struct wt_buf *out, enum wt_counts_certainty certainty,
			 const struct wt_perf_counted *from, const struct wt_perf_counted *to,
			 uint32_t n_counters, bool so_far);

#endif
