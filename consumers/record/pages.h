/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Memory for large tables that are read at random: zeroed, aligned to cache lines, in huge pages where the
 * kernel has them. With small pages nearly every look-up, and every prefetch, would also miss the
 * processor's cache of address translations. Any thread.
 */
#ifndef CONSUMERS_RECORD_PAGES_H
#define CONSUMERS_RECORD_PAGES_H

#include <stddef.h>

/** bytes is a multiple of 64. NULL: no memory. */
void *wt_pages_get(size_t bytes);
/** Doubles the memory, a power of two of bytes: the old content, then zeroes. Large memory moves without
 * being copied. NULL: no memory; the old pages stay. */
void *wt_pages_double(void *pages, size_t bytes);
/** bytes: as requested from wt_pages_get. NULL is fine. */
void wt_pages_put(void *pages, size_t bytes);

#endif
