/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The progress of long work: one line on a terminal, overwritten repeatedly, and removed at the end. Nothing
 * is written with -q, or when standard error is no terminal.
 */
#ifndef TOOLS_PROGRESS_H
#define TOOLS_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "tracecore/base/progress.h"

struct wt_progress {
	const char *what; /**< borrowed: the file in work */
	unsigned percent; /**< shown last */
	bool shown;       /**< the line is visible */
};

/** Returns a listener that shows the finished share whenever it has changed by a percent; progress has `what`
 * set and is otherwise zero. */
struct wt_listener wt_progress_listener(struct wt_progress *progress);
/** Removes the line. Call before any other output. */
void wt_progress_end(struct wt_progress *progress);

#endif
