/* SPDX-License-Identifier: MIT */
/** @file Pauses as JSON, of one or of two compared, and as lines for flame graphs. */
#ifndef CONSUMERS_EXPORT_PAUSE_H
#define CONSUMERS_EXPORT_PAUSE_H

#include "consumers/analysis/pause_report.h"
#include "tracecore/base/json.h"
#include "tracecore/base/out.h"

/** Writes one member of an array. */
int wt_pause_json(const struct wt_pause_report *report, struct wt_json *json, struct wt_err *err);
/** Writes the member "compare". */
void wt_pause_compare_json(const struct wt_pause_report *report, const struct wt_pause_compare *compare,
			   struct wt_json *json);

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

#endif
