/* SPDX-License-Identifier: MIT */
/** @file A stretch of a thread worked out (pause_source.h), and the words for its parts. */
#ifndef CONSUMERS_ANALYSIS_PAUSE_REPORT_H
#define CONSUMERS_ANALYSIS_PAUSE_REPORT_H

#include "consumers/analysis/pause_blame.h"
#include "consumers/analysis/pause_compare.h"
#include "consumers/analysis/pause_rows.h"

struct wt_pause_report {
	const char *log; /**< its path; borrowed, as are the next two */
	struct wt_view_file *file;
	struct wt_wait_rows *waits;
	struct wt_pause_path path;
	struct wt_pause_blame *blame; /**< owned */
	uint32_t n_blame;
	uint32_t number, of; /**< the first of so many stretches is 1 */
	bool open;           /**< a wait that reaches over an end of the record: it took longer */
};

/** The words for enum wt_pause_state and enum wt_pause_cause. */
extern const char *const wt_pause_states[WT_PAUSE_STATES], *const wt_pause_causes[WT_PAUSE_CAUSES];

/** Writes the name of a thread, escaped; "?" where the log does not have the thread. */
void wt_pause_name(const struct wt_pause_report *report, uint32_t tid, struct wt_buf *out);
/** The function in which a turn's thread waited: the innermost one of the program outside the C library and
 * the loader, otherwise the innermost one there, otherwise that of the kernel which gave the CPU away.
 * Nothing where the turn has no stack. */
int wt_pause_function(const struct wt_pause_report *report, uint32_t turn, struct wt_buf *out,
		      struct wt_err *err);
/** The name of a value of the field of waits with that map. */
const char *wt_pause_word(const struct wt_pause_report *report, int field, uint64_t value);

/** Adds up both pauses by reason. compare: zeroed; the caller's, also after a failure. */
int wt_pause_compare_reports(const struct wt_pause_report reports[2], struct wt_pause_compare *compare,
			     struct wt_err *err);

#endif
