/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Whether a private mapping of a file still has the file's bytes.
 *
 * Who may write to private memory of a file puts other pages under it (copy on write), and they stay when the
 * right to write is exchanged for the right to execute: the kernel's record of that looks like one of a
 * mapping of the file. What tells it is the process itself, as long as it lives: pages that are not the
 * file's (/proc/PID/pagemap), in a mapping that could be written to (smaps: `ac`, `nr`). Breakpoints and
 * uprobes replace pages too, in mappings that never could.
 */
#ifndef PROVIDERS_PERF_WRITTEN_H
#define PROVIDERS_PERF_WRITTEN_H

#include <stdbool.h>
#include <stdint.h>

/** CPU time that looking may take, all processes together: ns saved up at most, and ns a second. Beyond that
 * nobody looks, until a stack leads through the mapping. */
#define WT_WRITTEN_SAVED  UINT64_C(100000000)
#define WT_WRITTEN_SECOND UINT64_C(30000000)
/** Mappings of one process that are looked at: saved up at most, and a second. A look waits for a process
 * that is mapping: one that maps without end would hold up the recorder. */
#define WT_WRITTEN_LOOKS 64
/** Larger mappings are looked at up to there where the kernel cannot search them (PAGEMAP_SCAN, Linux 6.7).
 * Bytes. */
#define WT_WRITTEN_BYTES (UINT64_C(64) << 20)

enum wt_written {
	WT_WRITTEN_NOT = 0,
	WT_WRITTEN = 1,        /**< some of what is mapped there privately was written to */
	WT_WRITTEN_UNSEEN = 2, /**< nobody looked: that would have taken too much */
	WT_WRITTEN_GONE = 3,   /**< cannot be seen (any more) */
};

enum wt_written wt_perf_is_written(uint32_t pid, uint64_t start, uint64_t end);

/** The WT_EVENT_ flag of an event that tells of such a mapping. */
uint32_t wt_perf_seen_flag(enum wt_written written);

#endif
