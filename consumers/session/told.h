/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What a log tells of events lost in rings: whoever goes on with it must not tell it again.
 */
#ifndef CONSUMERS_SESSION_TOLD_H
#define CONSUMERS_SESSION_TOLD_H

#include "tracecore/base/err.h"
#include "tracecore/kernel_events.h"

/** Calls fn for what the log, and what --max-file has dropped of it, tells of a ring: one sum for each cause.
 * fn returns -1 to end. */
int wt_told_each(const char *log,
		 int (*fn)(void *ctx, const struct wt_lost_payload *lost, struct wt_err *err), void *ctx,
		 struct wt_err *err);

#endif
