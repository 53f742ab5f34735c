/* SPDX-License-Identifier: MIT */
/** @file Inside the writer: its CPUs' rings are made, found, mapped and taken away. Async-signal-safe. */
#ifndef TRACECORE_RING_RING_MAKE_H
#define TRACECORE_RING_RING_MAKE_H

#include "tracecore/ring/ring_fast.h"

/** Maps the CPU's ring, making it when it is not there. NULL: not now. Threads that do this together do the
 * same. */
struct wt_abi_ring *wt_ring_make(struct wt_ring_writer *w, uint32_t cpu);
/** With a ring per process, a child of fork must leave its parent's alone. */
void wt_ring_check_image(struct wt_ring_writer *w);

#endif
