/* SPDX-License-Identifier: MIT */
/** @file Pauses as text for people, of one or of two compared. */
#ifndef TOOLS_PAUSE_TEXT_H
#define TOOLS_PAUSE_TEXT_H

#include "consumers/analysis/pause_report.h"
#include "tracecore/base/out.h"

/** all: a line for each segment and each row of blame. */
int wt_pause_text(const struct wt_pause_report *report, bool all, struct wt_out *out, struct wt_err *err);
/** Writes the two pauses, without their paths, and what the first one has more. */
int wt_pause_compare_text(const struct wt_pause_report reports[2], const struct wt_pause_compare *compare,
			  bool all, struct wt_out *out, struct wt_err *err);

#endif
