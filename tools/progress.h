/* SPDX-License-Identifier: MIT */
/**
 * @file
 * How far long work has come: one line on a terminal, written over again and again, gone at the end. Standard
 * error that is no terminal, and -q, get nothing.
 */
#ifndef TOOLS_PROGRESS_H
#define TOOLS_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "tracecore/base/progress.h"

struct wt_progress {
	const char *what; /**< borrowed: the file that is worked on */
	unsigned percent; /**< shown last */
	bool shown;       /**< the line is there */
};

/** Who shows the share done when it has changed by a percent; progress has `what` set, all else zero. */
struct wt_listener wt_progress_listener(struct wt_progress *progress);
/** Takes the line away. Anything else that is printed comes after this. */
void wt_progress_end(struct wt_progress *progress);

#endif
