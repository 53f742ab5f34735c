/* SPDX-License-Identifier: MIT */
/** @file What the command pause found, and its forms: text and JSON, of one pause or of two compared. */
#ifndef TOOLS_PAUSE_H
#define TOOLS_PAUSE_H

#include "consumers/analysis/pause_blame.h"
#include "consumers/analysis/pause_compare.h"
#include "consumers/analysis/pause_rows.h"
#include "tracecore/base/json.h"
#include "tracecore/base/out.h"

struct wt_pause_report {
	const char *log; /**< its path; borrowed, as are the next two */
	struct wt_view_file *file;
	struct wt_wait_rows *waits;
	struct wt_pause_path path;
	struct wt_pause_blame *blame; /**< owned */
	uint32_t n_blame;
	uint32_t number, of; /**< the first of so many stretches is 1 */
	bool open;           /**< a wait that reaches over an end of the record: it took longer */
	bool all;            /**< a line for each segment */
};

/** The words for enum wt_pause_state and enum wt_pause_cause. */
extern const char *const wt_pause_states[WT_PAUSE_STATES], *const wt_pause_causes[WT_PAUSE_CAUSES];

/** The function in which a turn's thread waited: the innermost one of the program outside the C library and
 * the loader, otherwise the innermost one there, otherwise that of the kernel which gave the CPU away.
 * Nothing where the turn has no stack. */
int wt_pause_function(const struct wt_pause_report *report, uint32_t turn, struct wt_buf *out,
		      struct wt_err *err);
/** The name of a value of the field of waits with that map. */
const char *wt_pause_word(const struct wt_pause_report *report, int field, uint64_t value);

int wt_pause_text(const struct wt_pause_report *report, struct wt_out *out, struct wt_err *err);
/** One member of an array. */
int wt_pause_json(const struct wt_pause_report *report, struct wt_json *json, struct wt_err *err);

/** Lines for flame graphs, by what they say, in ns. Zeroed is empty. */
struct wt_pause_folded {
	struct wt_strings lines;
	uint64_t *lengths; /**< by line; owned */
	uint32_t cap;
};

/** Adds the segments of a pause, each below the threads that waited for it. */
int wt_pause_fold(const struct wt_pause_report *report, struct wt_pause_folded *folded, struct wt_err *err);
int wt_pause_folded_text(const struct wt_pause_folded *folded, struct wt_out *out, struct wt_err *err);
void wt_pause_folded_deinit(struct wt_pause_folded *folded);

/** Adds up both pauses by reason. compare: zeroed; the caller's, also after a failure. */
int wt_pause_compare_reports(const struct wt_pause_report reports[2], struct wt_pause_compare *compare,
			     struct wt_err *err);
/** The two pauses, without their paths, and what the first one has more. */
int wt_pause_compare_text(const struct wt_pause_report reports[2], const struct wt_pause_compare *compare,
			  struct wt_out *out, struct wt_err *err);
/** The member "compare". */
void wt_pause_compare_json(const struct wt_pause_report *report, const struct wt_pause_compare *compare,
			   struct wt_json *json);

#endif
