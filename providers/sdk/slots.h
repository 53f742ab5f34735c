/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The sessions this process writes to: for each of the eight slots, the rings of the session that has it now.
 */
#ifndef PROVIDERS_SDK_SLOTS_H
#define PROVIDERS_SDK_SLOTS_H

#include <assert.h>

#include "tracecore/enable/enable.h"
#include "tracecore/ring/ring.h"

/** The rings of one session's life. Once published they never change and are never freed, because a thread
 * may be late. The writer follows the struct. */
struct wt_sdk_rings {
	uint32_t life;
	uint32_t slot;
	uint8_t reserved[56];
};

/* The writer begins a cache line. */
static_assert(sizeof(struct wt_sdk_rings) == 64, "rings");

static inline struct wt_ring_writer *wt_sdk_writer(struct wt_sdk_rings *rings)
{
	return (struct wt_ring_writer *)(void *)(rings + 1);
}

static inline const struct wt_sdk_rings *wt_sdk_rings_of(const struct wt_ring_writer *writer)
{
	return (const struct wt_sdk_rings *)(const void *)writer - 1;
}

/** Returns the rings of the slot's present session; NULL when there is none, or when the rings cannot be
 * opened (now): then the caller counts the event as missed. Async-signal-safe, keeps errno; the first call
 * in a session makes system calls. */
struct wt_sdk_rings *wt_sdk_rings(unsigned slot);

#endif
