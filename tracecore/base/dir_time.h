/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Whether names in a directory may have come or gone since somebody looked: by the time the kernel keeps of
 * its last change, at the price of one system call. Unlike inotify it takes nothing that a user has few of.
 *
 * The kernel's times move on in ticks, so that a change may have the time of one before it: a directory is
 * looked at again until its last change is older than a tick, on the clock that the kernel takes the times
 * from. Where that clock was set back the change seems to be one to come: then it must have stood still for
 * longer than a tick. One thread.
 */
#ifndef TRACECORE_BASE_DIR_TIME_H
#define TRACECORE_BASE_DIR_TIME_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

/** Zeroed: nobody has looked yet. Times in ns. */
struct wt_dir_time {
	int64_t changed;
	int64_t first; /**< look that saw this change, on the clock that nobody sets */
	bool seen;
	bool settled; /**< what changes from now on gets another time */
};

/** Longer than a tick, ns. */
#define WT_DIR_TICK 20000000

/** True: look now. changed: of the directory; real and steady: the kernel's wall clock and the one that
 * nobody sets, both as of its last tick, read before `changed`. */
static inline bool wt_dir_changed_at(struct wt_dir_time *dir, int64_t changed, int64_t real, int64_t steady)
{
	bool same = dir->seen && dir->changed == changed;

	if (same && dir->settled)
		return false;
	if (!same)
		dir->first = steady;
	dir->seen = true;
	dir->changed = changed;
	dir->settled = real - changed > WT_DIR_TICK || steady - dir->first > WT_DIR_TICK;
	return true;
}

static inline int64_t wt_dir_ns(struct timespec at)
{
	return (int64_t)at.tv_sec * 1000000000 + at.tv_nsec;
}

/** The same of an open directory. */
static inline bool wt_dir_changed(struct wt_dir_time *seen, int dir)
{
	struct timespec real, steady;
	struct stat st;

	if (clock_gettime(CLOCK_REALTIME_COARSE, &real) || clock_gettime(CLOCK_MONOTONIC_COARSE, &steady) ||
	    fstat(dir, &st))
		return true;
	return wt_dir_changed_at(seen, wt_dir_ns(st.st_ctim), wt_dir_ns(real), wt_dir_ns(steady));
}

#endif
