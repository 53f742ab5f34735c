/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Counts one after the other: wperf's CSV, with a row in one write for each count, so that a file always
 * ends with a whole line; a JSON file that is whole after each count; and the bars that a terminal gets at
 * the end.
 */
#ifndef CONSUMERS_STAT_TIMELINE_H
#define CONSUMERS_STAT_TIMELINE_H

#include "consumers/stat/plan.h"
#include "consumers/stat/found.h"

enum { WT_SPARKS = 60 };

struct wt_timeline {
	int csv; /**< its descriptor; -1: none */
	bool headed;
	bool multiplexed;  /**< as the header says */
	int json;          /**< a JSON file's descriptor; -1: none */
	uint64_t json_end; /**< where its next item goes */
	uint64_t n;        /**< counts so far */
	double *sparks;    /**< owned; by event the last WT_SPARKS counts; negative: none */
};

#define WT_TIMELINE_NONE              \
	{                             \
		.csv = -1, .json = -1 \
	}

/** Fills in {timestamp}, {class} and {core} and prepends the directory. With csv NULL it makes a name. */
int wt_timeline_name(const struct wt_stat_args *args, const struct wt_stat_plan *plan, struct wt_buf *ret,
		     struct wt_err *err);
int wt_timeline_open_csv(struct wt_timeline *timeline, const char *path, struct wt_err *err);
/** The head of the JSON object of a timeline, without the array's end. */
void wt_timeline_json_head(const struct wt_stat_plan *plan, struct wt_buf *out);
int wt_timeline_open_json(struct wt_timeline *timeline, const struct wt_stat_plan *plan, const char *path,
			  struct wt_err *err);

int wt_timeline_add(struct wt_timeline *timeline, const struct wt_stat_args *args,
		    const struct wt_stat_found *found, double time, struct wt_err *err);
/** A line for each event: its counts as bars of eight heights. */
void wt_timeline_sparks(const struct wt_timeline *timeline, const struct wt_stat_plan *plan,
			struct wt_buf *out);
void wt_timeline_deinit(struct wt_timeline *timeline);

#endif
