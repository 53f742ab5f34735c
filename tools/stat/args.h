/* SPDX-License-Identifier: MIT */
/** @file The command line of stat: as it was given, and what it means. */
#ifndef TOOLS_STAT_ARGS_H
#define TOOLS_STAT_ARGS_H

#include "tools/cmd.h"
#include "consumers/counting/metric_list.h"
#include "consumers/counting/result.h"

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

/** What is to be done. Undo with wt_stat_plan_deinit. */
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

extern const struct wt_option wt_stat_options[];

/** Puts `sleep T` into the words of this program: "--timeout", "T" take their places. Whether it was there.
 */
bool wt_stat_read_sleep(int argc, char **argv);
/** Parses. Returns the index of the command, or argc; -1. */
int wt_stat_args_parse(int argc, char **argv, struct wt_stat_args *ret, struct wt_err *err);
void wt_stat_args_deinit(struct wt_stat_args *args);

int wt_stat_plan_make(struct wt_stat_args *args, char **command, struct wt_stat_plan *ret,
		      struct wt_err *err);
void wt_stat_plan_deinit(struct wt_stat_plan *plan);

#endif
