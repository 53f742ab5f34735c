/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The sessions this process writes to: for each of the eight slots, the rings of the session that has it now.
 */
#ifndef PROVIDERS_SDK_SLOTS_H
#define PROVIDERS_SDK_SLOTS_H

#include "tracecore/enable/enable.h"
#include "tracecore/ring/ring.h"

/** The rings of one session's life. Once published it never changes and is never freed: a thread may be late.
 */
struct wt_sdk_rings {
	uint32_t life;
	struct wt_ring_writer *writer;
};

extern struct wt_sdk_rings *wt_sdk_slots[WT_ENABLE_SLOTS];

/** Makes the rings of the slot's present session known; NULL when there is none or they cannot be had (an
 * event that is then lost is nobody's to count). Async-signal-safe, keeps errno; for when wt_sdk_rings
 * misses. */
struct wt_ring_writer *wt_sdk_bind(unsigned slot);

/** The slot's rings, or NULL. Async-signal-safe; the first call in a session makes system calls. */
static inline struct wt_ring_writer *wt_sdk_writer(unsigned slot)
{
	struct wt_sdk_rings *rings = __atomic_load_n(&wt_sdk_slots[slot], __ATOMIC_ACQUIRE);

	if (__builtin_expect(rings && rings->life == (uint32_t)(wt_enable_stamp(slot) >> 32), 1))
		return rings->writer;
	return wt_sdk_bind(slot);
}

#endif
