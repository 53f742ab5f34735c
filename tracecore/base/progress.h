/* SPDX-License-Identifier: MIT */
/** @file Reports the progress of long work to a listener. */
#ifndef TRACECORE_BASE_PROGRESS_H
#define TRACECORE_BASE_PROGRESS_H

#include <stdint.h>

/** Zeroed, or NULL: no listener. hear is called now and then, on the thread that works. done rises to
 * total, in units that the work chooses, and starts again with each further pass. */
struct wt_listener {
	void (*hear)(void *ctx, uint64_t done, uint64_t total);
	void *ctx;
};

static inline void wt_listener_tell(const struct wt_listener *listener, uint64_t done, uint64_t total)
{
	if (listener && listener->hear)
		listener->hear(listener->ctx, done, total);
}

#endif
