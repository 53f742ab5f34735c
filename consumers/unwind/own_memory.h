/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Limits the memory of a process that reads files which nobody vouches for.
 */
#ifndef CONSUMERS_UNWIND_OWN_MEMORY_H
#define CONSUMERS_UNWIND_OWN_MEMORY_H

#include <stdint.h>

/** From now on this process may take so many bytes of private memory beyond what it has. A lower limit
 * stays. */
void wt_own_memory_limit(uint64_t bytes);

#endif
