/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Names that a filter asks for and that no process, or no thread, of the log has, and functions of which the
 * compiler made copies. One thread.
 */
#ifndef CONSUMERS_ANALYSIS_NEAR_MISS_H
#define CONSUMERS_ANALYSIS_NEAR_MISS_H

#include "consumers/analysis/filter.h"

/** Calls fn with a line for each name after == that nothing in the log has. The line says that a thread has
 * the name and no process, or a process and no thread, or which name is nearest. A function's copies have
 * names of their own (hot.constprop.0): one of them is named, if there are any. */
int wt_view_near_misses(const struct wt_view_filter *filter, void (*fn)(void *ctx, const char *line),
			void *ctx, struct wt_err *err);

#endif
