/* SPDX-License-Identifier: MIT */
/** @file The number of CPUs that this machine may ever have: rings are indexed by CPU number. */
#ifndef TRACECORE_RING_CPUS_H
#define TRACECORE_RING_CPUS_H

#include <stdint.h>

/** One more than the highest possible CPU number, from /sys; where that is hidden, the C library's count;
 * at most 8192. Read once. */
uint32_t wt_ring_cpus(void);

#endif
