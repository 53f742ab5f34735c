/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The mappings of a ring's reader. It maps the first page, because head must be read by one load and tail
 * written by one store, which pread and pwrite do not promise. It maps the blocks for reading, because a copy
 * costs less than a pread. The file may be truncated under a mapping at any time. A page that is touched
 * then becomes private zeros, which no reader accepts, and the process does not end by SIGBUS.
 *
 * Installs a SIGBUS handler, and installs it again when another one has replaced it. Faults elsewhere go to
 * the earlier handler. Any thread.
 */
#ifndef TRACECORE_RING_RING_PAGE_H
#define TRACECORE_RING_RING_PAGE_H

#include <stdint.h>
#include <string.h>

#include "tracecore/abi/wt_ring.h"

#define WT_RING_PAGE_BYTES 4096u

/** NULL with errno: no memory, or more than 65,536 pages. */
struct wt_abi_ring *wt_ring_page_map(int fd, uint64_t offset);
void wt_ring_page_unmap(struct wt_abi_ring *page);

/** Maps `bytes` of the file from offset for reading, protected against SIGBUS as the first page is.
 * wt_ring_view_copy copies from it. NULL: there are too many views already, or the system refuses. */
const uint8_t *wt_ring_view_map(int fd, uint64_t offset, size_t bytes);
/** NULL is allowed. */
void wt_ring_view_unmap(const uint8_t *view);

/** Copies n bytes that other processes may be changing. Each byte is read once, now. */
static inline void wt_ring_view_copy(void *ret, const uint8_t *from, size_t n)
{
	memcpy(ret, from, n);
	/* The compiler must not read the source again when the copy is examined. */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

#endif
