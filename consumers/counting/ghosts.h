/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Additional events that nobody reads, so that no load keeps step with the turns of the kernel (ghosts.c).
 */
#ifndef CONSUMERS_COUNTING_GHOSTS_H
#define CONSUMERS_COUNTING_GHOSTS_H

#include <stddef.h>

/** How many a unit has when so many of its groups take counters. At each read, 0 to all of them are on, each
 * number alike likely. Only where events take turns without them. */
size_t wt_ghosts_of(size_t n_groups);

#endif
