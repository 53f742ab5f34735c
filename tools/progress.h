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

/** Shows the share done when it has changed by a percent; ctx is a struct wt_progress with `what` set, all
 * else zero. May be given to whoever calls back with (ctx, done, total). */
void wt_progress_show(void *ctx, uint64_t done, uint64_t total);
/** The same as somebody who is told. */
struct wt_listener wt_progress_listener(struct wt_progress *progress);
/** Takes the line away. Anything else that is printed comes after this. */
void wt_progress_end(struct wt_progress *progress);

#endif
