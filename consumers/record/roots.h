/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Roots of file systems that processes see and the recorder does not: those of containers and of chroot.
 *
 * Each root that is met is held open, with its table of mounts, so that the files of its processes are found
 * even after these have ended. At most WT_ROOTS are kept; the one not met for the longest time is dropped.
 * One thread.
 */
#ifndef CONSUMERS_RECORD_ROOTS_H
#define CONSUMERS_RECORD_ROOTS_H

#include "consumers/record/mounts.h"

#define WT_ROOTS 64

struct wt_root {
	uint64_t device, inode, mount; /**< identify the root */
	int fd;                        /**< of the directory (O_PATH); owned */
	uint64_t met;                  /**< turn in which it was met last */
	struct wt_mounts mounts;       /**< as its processes see them */
};

/** Zeroed: none is known yet. */
struct wt_roots {
	struct wt_root list[WT_ROOTS];
	uint32_t n;
	uint64_t turns;
	uint64_t device, inode, mount; /**< of the recorder's own root; inode 0: not asked for */
};

void wt_roots_deinit(struct wt_roots *roots);
/** Takes the root of a process, if the process still has one. Returns true when it differs from the
 * recorder's. */
bool wt_roots_meet(struct wt_roots *roots, uint32_t pid);

#endif
