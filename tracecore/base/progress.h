/* SPDX-License-Identifier: MIT */
/** @file Who hears how far long work has come. */
#ifndef TRACECORE_BASE_PROGRESS_H
#define TRACECORE_BASE_PROGRESS_H

#include <stdint.h>

/** Zeroed: nobody, and so is NULL. Called on the thread that works, now and then; done rises to total, in
 * units of the work's own, and begins again with each further pass. */
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
