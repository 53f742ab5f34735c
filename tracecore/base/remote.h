/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Reads memory of another process.
 *
 * The memory can lie where nobody answers, and the process can hold its table of mappings locked (apart.h): a
 * plain process_vm_readv then waits for ever. Therefore it is read apart. One thread.
 */
#ifndef TRACECORE_BASE_REMOTE_H
#define TRACECORE_BASE_REMOTE_H

#include <stdbool.h>
#include <stdint.h>

/** Most parts and most bytes of one reading. */
#define WT_REMOTE_PARTS 3
#define WT_REMOTE_BYTES 65536u

struct wt_remote_part {
	uint64_t at;
	uint32_t size;
};

/** Reads the memory; what is read ends before the first page that cannot be read. Returns the number of
 * bytes; 0 also when the process may not be asked now (wt_apart_ask). */
uint32_t wt_remote_read(uint32_t pid, uint64_t at, uint32_t size, void *ret);

/** The same for several parts, one behind the other in ret. direct: without the help of another process,
 * which costs a fifth of the time, and may wait for ever. */
uint32_t wt_remote_read_parts(uint32_t pid, bool direct, const struct wt_remote_part *parts, unsigned n,
			      void *ret);

/** True: the process is root's or the caller's, who can make the caller wait anyway. A process that changes
 * its user or begins another program may become another's. */
bool wt_remote_is_trusted(uint32_t pid);

#endif
