/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What a reader maps of a ring. The first page: head must be read by one load and tail written by one store,
 * which pread and pwrite do not promise. The blocks, for reading: a copy costs less than a pread. The file
 * may be cut under a mapping at any time; the page that is touched then turns into private zeroes, which no
 * reader believes, instead of ending the process by SIGBUS.
 *
 * Installs a SIGBUS handler, again when it finds another one in its place; faults elsewhere go to the handler
 * that was there before. Any thread.
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

/** Maps `bytes` of the file from offset for reading, under the same protection; copies of what lies there are
 * made with wt_ring_view_copy. NULL: there are too many views already, or the system refuses. */
const uint8_t *wt_ring_view_map(int fd, uint64_t offset, size_t bytes);
/** NULL is allowed. */
void wt_ring_view_unmap(const uint8_t *view);

/** Copies n bytes that others may be changing: what is copied is read once, now. */
static inline void wt_ring_view_copy(void *ret, const uint8_t *from, size_t n)
{
	memcpy(ret, from, n);
	/* The copy must not be made anew when it is looked at. */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

#endif
