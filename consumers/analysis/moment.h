/* SPDX-License-Identifier: MIT */
/** @file Moments of time as people write them. */
#ifndef CONSUMERS_ANALYSIS_MOMENT_H
#define CONSUMERS_ANALYSIS_MOMENT_H

#include "consumers/model/file.h"

/** A moment as session time: seconds from the file's start ("1.5", "200ms") or local wall time
 * ("2026-01-31T12:00:00.5"). option is for the message. */
int wt_view_moment(const struct wt_view_file *file, const char *option, const char *text, uint64_t *ret,
		   struct wt_err *err);

#endif
