/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Provider `counters`: one group of counters on each CPU, read by the kernel itself.
 *
 *   leader: context-switches, each a record (event switch)   ─┐ each record holds what all counters of the
 *   next:   cpu-clock, a record at each interval (interval)  ─┤ group have counted (counts_chain.h)
 *   counters: the requested ones, no records                 ─┘
 *
 * Where only intervals are wanted cpu-clock leads. A record of context-switches is written by the thread
 * that leaves, before another runs: the counts since the CPU's previous switch are that thread's. The kernel
 * does not name a thread that is released already; the recorder knows it from its end (WT_ROLE_COUNTS).
 *
 * The group counts on CPUs, also where processes are traced: a thread's own counters cannot be read at its
 * last switch, because they no longer exist then.
 */
#ifndef PROVIDERS_PERF_COUNTS_GROUP_H
#define PROVIDERS_PERF_COUNTS_GROUP_H

#include <linux/perf_event.h>

#include "providers/perf/counts_chain.h"
#include "providers/perf/perf.h"

struct wt_perf;
struct wt_perf_ring;

/** The events of a group that write records. */
enum wt_perf_counts_what { WT_COUNTS_SWITCH, WT_COUNTS_INTERVAL, WT_COUNTS_WHATS };

struct wt_perf_counter {
	struct perf_event_attr attr;
	char name[128];  /**< as the user wrote it */
	char field[128]; /**< name as a field of an event */
};

/** Zeroed: no counters. */
struct wt_perf_counts {
	struct wt_perf_counter counters[WT_PERF_COUNTS_MOST];
	uint32_t n;
	uint32_t
		slots[WT_COUNTS_WHATS]; /**< slots of the events that write records; UINT32_MAX: not wanted */
	uint32_t n_slots;               /**< number of slots in use; the first one leads */
	uint32_t rest_kind, total_kind;
	uint32_t gpc_kinds[2]; /**< of provider windowsperf; WT_KIND_NONE: not wanted */
};

/** The state of a CPU's records up to the last one taken. */
struct wt_perf_chain {
	struct wt_perf_counted last[WT_COUNTS_WHATS];
	enum wt_perf_chain_doubt {
		WT_CHAIN_WHOLE,
		WT_CHAIN_BROKEN, /**< a record may be missing after the last one */
		WT_CHAIN_UNKNOWN /**< the values of the last record are unknown */
	} doubt[WT_COUNTS_WHATS];
};

/** Notes that a record may be missing, or that the last values are unknown. */
void wt_perf_chain_doubt(struct wt_perf_chain *chain, enum wt_perf_chain_doubt doubt);

/** Settles the requested counters and adds the provider with a field for each; opens nothing. */
int wt_perf_counts_plan(struct wt_perf *perf, const struct wt_perf_request *request, struct wt_kinds *kinds,
			struct wt_err *err);
/** Opens the group on the ring's CPU. The opened descriptors belong to the ring, also after a failure. */
int wt_perf_counts_open(struct wt_perf *perf, struct wt_perf_ring *ring, struct wt_err *err);
/** Returns the kind of record that a slot writes; WT_COUNTS_WHATS: the slot is not in the group. */
enum wt_perf_counts_what wt_perf_counts_of(const struct wt_perf_counts *counts, uint32_t slot);
/** Appends the payload of a record's event and advances the chain. -1: it is not a record of the group. */
int wt_perf_counts_take(const struct wt_perf_counts *counts, const struct wt_perf_record *record,
			struct wt_perf_chain *chain, struct wt_buf *out, enum wt_counts_certainty *ret);
/** Reads the total of one counter of the ring: value, enabled, running. False: it cannot be read. */
bool wt_perf_counts_read(const struct wt_perf_ring *ring, uint32_t counter, uint64_t ret[3]);

#endif
