/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Which file system an open file lies on, as the kernel's table of mounts tells it.
 *
 * The file system itself is never asked: one behind a network or a program (NFS, 9p, FUSE) may never answer.
 * The table is read again when the kernel says that it changed. One thread.
 */
#ifndef CONSUMERS_RECORD_MOUNTS_H
#define CONSUMERS_RECORD_MOUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wt_mount {
	uint32_t id;
	bool local;      /**< its inodes are known to this kernel alone: asking for one waits for nobody */
	uint64_t device; /**< of its file system, as in struct wt_log_image */
};

struct wt_roots;

/** A zeroed struct is valid and knows no mounts yet. */
struct wt_mounts {
	bool open;
	int fd;                  /**< the kernel's table, owned while open */
	struct wt_mount *mounts; /**< owned; by id */
	size_t n, cap;
	struct wt_roots *roots; /**< others' (roots.h), where a file is looked for that this one does not lead
				 * to; borrowed; NULL: none */
};

/** The mount that an open file (O_PATH does) was reached by; NULL: not known. Until the next call. */
const struct wt_mount *wt_mounts_of(struct wt_mounts *mounts, int fd);
/** Makes the mounts those of a process, as long as they are there; without, they are the caller's. */
void wt_mounts_begin(struct wt_mounts *mounts, uint32_t pid);
void wt_mounts_deinit(struct wt_mounts *mounts);

#endif
