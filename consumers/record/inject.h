/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The session's own events as one more source: a queue of copies, kept in time order.
 *
 * An event older than the last one is put in its place, behind events of equal time. That costs a walk from
 * the end, so times should mostly rise. The queue never holds more than the events put in between two
 * rounds.
 */
#ifndef CONSUMERS_RECORD_INJECT_H
#define CONSUMERS_RECORD_INJECT_H

#include "tracecore/source.h"

/** Source id of the queue: on ties it comes after all others, and it is not in checkpoints. */
#define WT_INJECT_SOURCE UINT32_MAX

struct wt_inject {
	struct wt_source source;
	struct wt_injected *first, *last;
	uint64_t popped;
};

void wt_inject_init(struct wt_inject *inject);
/** Copies the event with its payload and stack, also a stack that is still to be walked. */
int wt_inject_put(struct wt_inject *inject, const struct wt_event *event, struct wt_err *err);
static inline bool wt_inject_empty(const struct wt_inject *inject)
{
	return !inject->first;
}
void wt_inject_deinit(struct wt_inject *inject);

#endif
