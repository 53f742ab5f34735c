/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Checks that a private mapping of a file still has the file's bytes.
 *
 * A write to private memory of a file puts other pages there (copy on write). They stay when the right to
 * write is exchanged for the right to execute, and the kernel's record of that looks like one of a mapping
 * of the file. Only the live process shows the difference: pages that are not the file's
 * (/proc/PID/pagemap), in a mapping that could be written to (smaps: `ac`, `nr`). Breakpoints and uprobes
 * replace pages too, but in mappings that could never be written to.
 */
#ifndef PROVIDERS_PERF_WRITTEN_H
#define PROVIDERS_PERF_WRITTEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** CPU time for looking, the most ns saved up and ns a second: for the processes of each other user, for
 * those of all other users together, and for those of root and of the caller together. Beyond that nobody
 * looks until a stack leads through the mapping. */
#define WT_WRITTEN_SAVED          UINT64_C(100000000)
#define WT_WRITTEN_SECOND         UINT64_C(30000000)
#define WT_WRITTEN_ALL_SAVED      UINT64_C(200000000)
#define WT_WRITTEN_ALL_SECOND     UINT64_C(60000000)
#define WT_WRITTEN_TRUSTED_SAVED  UINT64_C(1000000000)
#define WT_WRITTEN_TRUSTED_SECOND UINT64_C(100000000)
/** Looks at mappings of one process: the most saved up, and a second. A look delays the process that maps,
 * and one that maps without end would delay the recorder. */
#define WT_WRITTEN_LOOKS 64
/** Larger mappings are looked at only up to this size where the kernel cannot search them (PAGEMAP_SCAN,
 * Linux 6.7). Bytes. */
#define WT_WRITTEN_BYTES (UINT64_C(64) << 20)

struct wt_allowance;

enum wt_written {
	WT_WRITTEN_NOT = 0,
	WT_WRITTEN = 1,        /**< some private memory there was written to */
	WT_WRITTEN_UNSEEN = 2, /**< not checked: too costly, or no pages present, not yet or not any more */
	WT_WRITTEN_GONE = 3,   /**< cannot be seen (any more) */
};

/** A part of a process's memory, and what was found there. */
struct wt_stretch {
	uint64_t start, end;
	enum wt_written written;
};

/** Stretches that one question can hold. A question costs as much as looking at several stretches does. */
#define WT_WRITTEN_MOST 32

enum wt_written wt_perf_is_written(uint32_t pid, uint64_t start, uint64_t end);
/** Looks at n stretches of a process, at most WT_WRITTEN_MOST, and sets `written` of each. */
void wt_perf_look_written(uint32_t pid, struct wt_stretch *stretches, size_t n);

/** Returns the remaining time of the process's user. */
struct wt_allowance *wt_perf_written_time(uint32_t pid);

/** Returns the WT_EVENT_ flag for the event of such a mapping. */
uint32_t wt_perf_seen_flag(enum wt_written written);

#endif
