/* SPDX-License-Identifier: MIT */
/** @file An event that is to be counted, and its number on each kind of core. */
#ifndef CONSUMERS_COUNTING_EVENT_H
#define CONSUMERS_COUNTING_EVENT_H

#include <stdbool.h>

#include "consumers/counting/cores.h"
#include "providers/perf/spec.h"

enum { WT_COUNT_NO_GROUP = -1 };

/** perf_event_attr.type of events that belong to no PMU in sysfs. */
enum {
	WT_SPEC_HARDWARE = 0,
	WT_SPEC_SOFTWARE = 1,
	WT_SPEC_TRACEPOINT = 2,
	WT_SPEC_CACHE = 3,
	WT_SPEC_RAW = 4
};

/** An event as one kind of core counts it. */
struct wt_count_way {
	struct wt_perf_spec spec;
	int core; /**< index of wt_cores; -1: all CPUs */
};

struct wt_count_event {
	char name[128];
	struct wt_count_way *ways; /**< owned; more than one where kinds of cores differ */
	size_t n_ways;
	bool modes;       /**< MODES were given: exclude has them */
	unsigned exclude; /**< of wt_counter_exclude */
	int group;        /**< events of a group follow each other; WT_COUNT_NO_GROUP: counts by itself */
	bool loose;       /**< the group may be given up when it does not fit (a metric's) */
	bool optional;    /**< left out where it cannot be counted (the default events) */
	char metric[64];  /**< the metric that needs the event; "": the user named it */
};

/** The class of the event: "hw" (core), "sw" (software), "tp" (tracepoint), "pmu" (another PMU). */
const char *wt_count_event_class(const struct wt_count_event *event);
/** Whether the event is a clock: its count is a time in ns, which the kernel does not split by modes. */
bool wt_count_event_is_clock(const struct wt_count_event *event);
/** Whether the event is the cycles of the core: most PMUs have a counter for them alone. */
bool wt_count_event_is_cycles(const struct wt_count_event *event);

#endif
