/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Finds out, from the time of a directory's last change, whether names in it may have appeared or
 * disappeared since the last look. This costs one system call. Unlike inotify it uses no resource of which
 * a user has only a few.
 *
 * The kernel's times advance in ticks, so a change may have the same time as the one before it. A directory
 * is therefore looked at again until its last change is older than a tick, on the clock from which the kernel
 * takes these times. When that clock was set back, the change seems to lie in the future. Then the time of
 * the change must have stayed unchanged for longer than a tick. One thread.
 */
#ifndef TRACECORE_BASE_DIR_TIME_H
#define TRACECORE_BASE_DIR_TIME_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

/** Zeroed: the directory has not been looked at. Times in ns. */
struct wt_dir_time {
	int64_t changed;
	int64_t first; /**< the look that saw this change, on the clock that nobody sets */
	bool seen;
	bool settled; /**< later changes will get another time */
};

/** Longer than a tick, ns. */
#define WT_DIR_TICK 20000000

/** True: look now. changed: the directory's time of change. real and steady: the kernel's wall clock and
 * the clock that nobody sets, both as of its last tick, read before `changed`. */
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

/** wt_dir_changed_at, for an open directory. */
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
