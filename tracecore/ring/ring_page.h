/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The first page of a ring, mapped by its reader: head must be read by one load and tail written by one
 * store, which pread and pwrite do not promise. The file may be cut under the mapping at any time; the page
 * then turns into private zeroes, which no reader believes, instead of ending the process by SIGBUS.
 *
 * Installs a SIGBUS handler, again when it finds another one in its place; faults elsewhere go to the handler
 * that was there before. Any thread.
 */
#ifndef TRACECORE_RING_RING_PAGE_H
#define TRACECORE_RING_RING_PAGE_H

#include <stdint.h>

#include "tracecore/abi/wt_ring.h"

#define WT_RING_PAGE_BYTES 4096u

/** NULL with errno: no memory, or more than 65,536 pages. */
struct wt_abi_ring *wt_ring_page_map(int fd, uint64_t offset);
void wt_ring_page_unmap(struct wt_abi_ring *page);

#endif
