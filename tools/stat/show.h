/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What stat found, as text for people in wperf's shape, as wperf's JSON, or as lines as of perf stat -x.
 */
#ifndef TOOLS_STAT_SHOW_H
#define TOOLS_STAT_SHOW_H

#include "tools/stat/args.h"
#include "tracecore/base/json.h"

struct wt_stat_found {
	const struct wt_stat_plan *plan;
	const struct wt_counting *counting;
	const struct wt_count_result *result;
};

/** The tables, with the line of the time elapsed. */
void wt_stat_text(const struct wt_stat_found *found, struct wt_buf *out);
/** The tree of topdown metrics that were measured, what stands out in it (*), and the next step; of each kind
 * of core, when the rows are by kind. Nothing when none of the tree's first metrics was measured. */
void wt_stat_topdown(const struct wt_stat_found *found, struct wt_buf *out);
/** One object of wperf's shape, the value of key. */
void wt_stat_json(const struct wt_stat_found *found, const char *key, struct wt_json *json);
/** A line for each event; with a timeline the time in seconds goes before. */
void wt_stat_lines(const struct wt_stat_found *found, const char *separator, double time, struct wt_buf *out);
/** The same for people, as perf stat -I prints them. */
void wt_stat_interval(const struct wt_stat_found *found, double time, bool first, struct wt_buf *out);

/* ---- words that several forms have ---- */

/** "0x1b", "fixed" (cycles), "hw", "sw", "tp". */
void wt_stat_index(const struct wt_count_event *event, char ret[24]);
/** "e", "g0", "g0,imix". */
void wt_stat_note(const struct wt_count_event *event, char ret[96]);
/** "~5/10": turns in which it counted, of how many there were. */
void wt_stat_turns(const struct wt_count_event *event, const struct wt_count_value *value, char ret[48]);
/** "core 7", "process 12 (name)". */
void wt_stat_whose(const struct wt_stat_found *found, const struct wt_count_row *row, char ret[160]);
/** Whether an event of the row is to be shown. */
bool wt_stat_shows(const struct wt_stat_found *found, const struct wt_count_row *row, size_t event);
/** "included", "excluded", or "as each event says". */
const char *wt_stat_kernel(const struct wt_stat_found *found);
/** "not counted", "not supported"; NULL where there is a count. */
const char *wt_stat_no_count(const struct wt_count_value *value);
/** Number of rows to show, and the i-th of them: those of the key, then the sum of several. */
size_t wt_stat_rows(const struct wt_count_result *result);
const struct wt_count_row *wt_stat_row(const struct wt_count_result *result, size_t i);

#endif
