/* SPDX-License-Identifier: MIT */
/** @file The requests to stat, as texts, and their meaning on this machine. */
#ifndef CONSUMERS_STAT_PLAN_H
#define CONSUMERS_STAT_PLAN_H

#include "consumers/counting/metric_list.h"
#include "consumers/counting/result.h"
#include "tracecore/base/buf.h"

struct wt_stat_args {
	struct wt_buf events, metrics; /**< owned; lists, joined by commas */
	const char *cpus, *pids, *tids, *cgroup, *by;
	const char *timeout, *interval, *count, *every, *repeat;
	const char *output, *csv, *directory, *separator;
	const char *own, *own_events, *telemetry;
	bool slept; /**< the timeout was written `sleep T` */
	bool kernel, all, timeline, json, detailed, with_time;
};

enum wt_stat_form { WT_STAT_TEXT, WT_STAT_JSON, WT_STAT_LINES };

/** The work to do. Undo with wt_stat_plan_deinit. */
struct wt_stat_plan {
	struct wt_cores cores;
	struct wt_count_list list;
	struct wt_metric_list metrics;
	struct wt_counting_aim aim; /**< child is not set yet */
	int *pids, *tids;           /**< owned, as aim has them */
	enum wt_count_by by;
	enum wt_stat_form form;
	bool defaults;     /**< nobody named events */
	bool whole;        /**< all CPUs, none was named */
	uint64_t length;   /**< ns of one count; UINT64_MAX: until the end */
	bool timeline;     /**< several counts, one after the other */
	bool ends;         /**< the timeline ends the command (-I with --timeout) */
	bool perf_lines;   /**< the timeline is printed as it comes (-I) */
	uint64_t gap;      /**< ns between two counts */
	uint64_t n_counts; /**< 0: endless */
	unsigned repeat;
	char **command; /**< NULL: none */
	const char *cgroup;
};

int wt_stat_plan_make(struct wt_stat_args *args, char **command, struct wt_stat_plan *ret,
		      struct wt_err *err);
void wt_stat_plan_deinit(struct wt_stat_plan *plan);

#endif
