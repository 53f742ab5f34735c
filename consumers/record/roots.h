/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Roots of file systems that processes see and the recorder does not: of containers, and of chroot.
 *
 * Each root that is met is held open, with its table of mounts, so that the files of its processes are found
 * though these have ended. At most WT_ROOTS; the one that was not met for longest goes. One thread.
 */
#ifndef CONSUMERS_RECORD_ROOTS_H
#define CONSUMERS_RECORD_ROOTS_H

#include "consumers/record/mounts.h"

#define WT_ROOTS 64

struct wt_root {
	uint64_t device, inode, mount; /**< which root it is */
	int fd;                        /**< of the directory (O_PATH); owned */
	uint64_t met;                  /**< turn of the last time */
	struct wt_mounts mounts;       /**< as its processes see them */
};

/** Zeroed: none is known yet. */
struct wt_roots {
	struct wt_root list[WT_ROOTS];
	uint32_t n;
	uint64_t turns;
	uint64_t device, inode, mount; /**< the recorder's own; inode 0: not asked for */
};

void wt_roots_deinit(struct wt_roots *roots);
/** Takes the root of a process, if it still has one. True: it is another than the recorder's. */
bool wt_roots_meet(struct wt_roots *roots, uint32_t pid);

#endif
