/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A model while it is built: items are added, then the table is finished: sorted, without doubles, names
 * resolved.
 *
 * A table owns copies of all that it is given. The input may be foreign: names are checked, and counts are
 * bounded. All functions return 0, or -1 with the error filled. One thread.
 */
#ifndef CONSUMERS_PMU_TABLE_H
#define CONSUMERS_PMU_TABLE_H

#include "consumers/pmu/kept.h"
#include "consumers/pmu/model.h"

/** A node before its names are resolved. */
struct wt_pmu_branch {
	const char *name, *metric;
	struct wt_pmu_words next; /**< names of nodes, groups or metrics; others are left out */
	double over;
};

struct wt_pmu_table {
	struct wt_pmu_model model; /**< valid once finished */
	const char *origin;        /**< for errors */
	struct wt_pmu_event *events;
	struct wt_pmu_metric *metrics;
	struct wt_pmu_group *groups;
	struct wt_pmu_branch *branches;
	size_t cap_events, n_events, cap_metrics, n_metrics, cap_groups, n_groups, cap_branches, n_branches;
	struct wt_pmu_words roots;
	/** A vendor's file: metrics whose formula cannot be read are left out and counted; first says why the
	 * first was. */
	bool lenient;
	size_t n_left_out;
	struct wt_err first;
	bool partial; /**< a vendor's file with events or metrics alone: the rest is another table's */
	struct wt_pmu_kept kept;
};

int wt_pmu_table_create(const char *name, const char *origin, struct wt_pmu_table **ret, struct wt_err *err);
void wt_pmu_table_destroy(struct wt_pmu_table *table);

/** Items of this name that are there already give way. Names and formulas become lower case, but not
 * the events of an own metric, which may be words of sysfs. */
int wt_pmu_table_event(struct wt_pmu_table *table, const struct wt_pmu_event *event, struct wt_err *err);
int wt_pmu_table_metric(struct wt_pmu_table *table, const struct wt_pmu_metric *metric, struct wt_err *err);
int wt_pmu_table_group(struct wt_pmu_table *table, const struct wt_pmu_group *group, struct wt_err *err);
int wt_pmu_table_branch(struct wt_pmu_table *table, const struct wt_pmu_branch *branch, struct wt_err *err);

/** Adds the items that the other table has and this one lacks: events and metrics by name; groups and the
 * tree when there are none. Both are finished; finish this one again. */
int wt_pmu_table_fill(struct wt_pmu_table *table, const struct wt_pmu_table *other, struct wt_err *err);

/** Sorts, parses every formula, finds out what each metric needs, leaves metrics that are not there out of
 * groups, and groups without one out, resolves the tree. May be called again after more was added. */
int wt_pmu_table_finish(struct wt_pmu_table *table, struct wt_err *err);

#endif
