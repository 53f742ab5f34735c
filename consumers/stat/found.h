/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The results of stat: as wperf's JSON, as lines like those of perf stat -x, and the words that all forms
 * share.
 */
#ifndef CONSUMERS_STAT_FOUND_H
#define CONSUMERS_STAT_FOUND_H

#include "consumers/stat/plan.h"
#include "tracecore/base/json.h"

struct wt_stat_found {
	const struct wt_stat_plan *plan;
	const struct wt_counting *counting;
	const struct wt_count_result *result;
};

/** The tree of the measured topdown metrics, with * at high values, and the next step; for each kind of
 * core, if the rows are by kind. Prints nothing if none of the tree's first metrics was measured. */
void wt_stat_topdown(const struct wt_stat_found *found, struct wt_buf *out);
/** One object of wperf's shape, the value of key. */
void wt_stat_json(const struct wt_stat_found *found, const char *key, struct wt_json *json);
/** A line for each event; in a timeline the time in seconds comes first. */
void wt_stat_lines(const struct wt_stat_found *found, const char *separator, double time, struct wt_buf *out);
/** A line for each event, for people, as perf stat -I prints them. */
void wt_stat_interval(const struct wt_stat_found *found, double time, bool first, struct wt_buf *out);

/* ---- words that several forms share ---- */

/** "0x1b", "fixed" (cycles), "hw", "sw", "tp". */
void wt_stat_index(const struct wt_count_event *event, char ret[24]);
/** "e", "g0", "g0,imix". */
void wt_stat_note(const struct wt_count_event *event, char ret[96]);
/** "~5/10": turns in which it counted, of how many there were. */
void wt_stat_turns(const struct wt_count_event *event, const struct wt_count_value *value, char ret[48]);
/** "core 7", "process 12 (name)". */
void wt_stat_whose(const struct wt_stat_found *found, const struct wt_count_row *row, char ret[160]);
/** Whether an event of the row is shown. */
bool wt_stat_shows(const struct wt_stat_found *found, const struct wt_count_row *row, size_t event);
/** Whether a metric of the row is shown: it has a formula and, if it is not a metric of the cores, counts
 * in that row. */
bool wt_stat_shows_metric(const struct wt_stat_found *found, const struct wt_count_row *row, size_t metric);
/** "included", "excluded", or "as each event says". */
const char *wt_stat_kernel(const struct wt_stat_found *found);
/** "not counted", "not supported"; NULL where there is a count. */
const char *wt_stat_no_count(const struct wt_count_value *value);
/** The number of rows to show, and the i-th row: the rows of the key, then the sum if there are several. */
size_t wt_stat_rows(const struct wt_count_result *result);
const struct wt_count_row *wt_stat_row(const struct wt_count_result *result, size_t i);

#endif
