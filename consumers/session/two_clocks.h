/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Converts CLOCK_MONOTONIC to the session's clock, also for past moments, from paired readings. One thread.
 */
#ifndef CONSUMERS_SESSION_TWO_CLOCKS_H
#define CONSUMERS_SESSION_TWO_CLOCKS_H

#include "tracecore/base/clock.h"

/** Number of pairs of readings that are kept. */
#define WT_TWO_CLOCKS 256

/** Zeroed is empty; read the clocks first. */
struct wt_two_clocks {
	struct wt_clockset readings[WT_TWO_CLOCKS];
	uint32_t n;
};

/** Reads both. */
void wt_two_clocks_read(struct wt_two_clocks *clocks);
/** A wt_jitdump_clock; ctx is the object. */
uint64_t wt_two_clocks_session(void *ctx, uint64_t mono);

#endif
