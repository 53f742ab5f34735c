/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The counts in the records of a group of counters. Each record has the counts since the group was enabled,
 * so the difference between two records was counted in between.
 *
 * A record of a group ends in {n, ns enabled, ns running, n events}, in the order in which the events were
 * opened; each event is its value and, from Linux 6.0 on, how many of its records were lost. So each record
 * shows by itself whether one is missing before it. An event of period 1 counts its own records, including
 * lost ones and those that the kernel did not write for any reason: its value is one more than in the
 * previous record. For other events the number of lost records equals that of the previous record.
 * Differences add up to the last value whatever is lost, because the next record includes the counts of a
 * lost one.
 *
 * One thread.
 */
#ifndef PROVIDERS_PERF_COUNTS_CHAIN_H
#define PROVIDERS_PERF_COUNTS_CHAIN_H

#include <stdbool.h>

#include "providers/perf/record.h"
#include "tracecore/base/buf.h"

/** Most counters of one group. */
enum { WT_PERF_COUNTS_MOST = 16 };

/** All counts up to one record. Zeroed: the moment the group was enabled. */
struct wt_perf_counted {
	uint64_t enabled, running; /**< ns */
	uint64_t own, lost;        /**< of the event that wrote the record: value, records lost */
	uint64_t value[WT_PERF_COUNTS_MOST];
};

/** Reads the group's values in a sample. first: number of its events that come before the counters; own:
 * which of those wrote the record. -1: the sample is not of a group with that many events. */
int wt_perf_counted_parse(const struct wt_perf_record *record, uint32_t first, uint32_t own,
			  uint32_t n_counters, struct wt_perf_counted *ret);

/** Whether the event that wrote a record counts its records. */
enum wt_perf_period { WT_PERIOD_ONE, WT_PERIOD_MANY };

/** Computes the step from one record to the next. A value that falls is not a count; then the step is over a
 * loss. */
enum wt_counts_certainty wt_perf_counted_step(const struct wt_perf_counted *from,
					      const struct wt_perf_counted *to, uint32_t n_counters,
					      enum wt_perf_period period);

/** Writes the payload of an event of provider `counters`: certainty, times, and the step of each counter;
 * with so_far also the value. */
void wt_perf_counted_put(struct wt_buf *out, enum wt_counts_certainty certainty,
			 const struct wt_perf_counted *from, const struct wt_perf_counted *to,
			 uint32_t n_counters, bool so_far);

#endif
