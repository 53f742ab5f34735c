/* SPDX-License-Identifier: MIT */
/** @file Why a table is empty: what the log has, and what each condition leaves of it. */
#ifndef CONSUMERS_ANALYSIS_WHY_NONE_H
#define CONSUMERS_ANALYSIS_WHY_NONE_H

#include "consumers/analysis/counter.h"

/** One line of text, without its end, for a counter that has counted no event. where: its filter as it was
 * typed, or NULL. Reads the log again. */
int wt_view_why_none(struct wt_view_counter *counter, const char *where, struct wt_buf *out,
		     struct wt_err *err);

#endif
