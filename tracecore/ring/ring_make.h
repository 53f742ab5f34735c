/* SPDX-License-Identifier: MIT */
/** @file Inside the writer: makes, finds, maps and removes the rings of its CPUs. Async-signal-safe. */
#ifndef TRACECORE_RING_RING_MAKE_H
#define TRACECORE_RING_RING_MAKE_H

#include "tracecore/ring/ring_fast.h"

/** Maps the CPU's ring, making it if absent. NULL: not possible now. Threads that do this at the same time
 * get the same ring. */
struct wt_abi_ring *wt_ring_make(struct wt_ring_writer *w, uint32_t cpu);
/** With a ring for each process, a forked child must leave its parent's rings alone. */
void wt_ring_check_image(struct wt_ring_writer *w);

#endif
