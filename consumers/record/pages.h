/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Memory for large tables that are read at random: zeroed, aligned to cache lines, in huge pages where the
 * kernel has them, because with small ones nearly every look-up would also miss the processor's cache of
 * address translations, and a prefetch with it. Any thread.
 */
#ifndef CONSUMERS_RECORD_PAGES_H
#define CONSUMERS_RECORD_PAGES_H

#include <stddef.h>

/** bytes is a multiple of 64. NULL: no memory. */
void *wt_pages_get(size_t bytes);
/** Twice the bytes, a power of two: what was there, then zeroes. Large memory moves without being copied.
 * NULL: no memory, the old pages stay. */
void *wt_pages_double(void *pages, size_t bytes);
/** bytes as asked for. NULL is fine. */
void wt_pages_put(void *pages, size_t bytes);

#endif
