/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Finds the file system of an open file in the kernel's table of mounts.
 *
 * The file system itself is never asked: a file system behind a network or a program (NFS, 9p, FUSE) may
 * never answer. The table is read again when the kernel says that it changed. One thread.
 */
#ifndef CONSUMERS_RECORD_MOUNTS_H
#define CONSUMERS_RECORD_MOUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wt_mount {
	uint32_t id;
	bool local;      /**< only this kernel knows its inodes: a query never waits for others */
	char *overlay;   /**< an overlay, whose files lie in other file systems: its line (overlay.h), owned;
			    NULL: none */
	uint64_t device; /**< of its file system, as in struct wt_log_image */
};

struct wt_file_watch;
struct wt_roots;

/** A zeroed struct is valid and knows no mounts yet. */
struct wt_mounts {
	bool open;
	int fd;                  /**< the kernel's table, owned while open */
	struct wt_mount *mounts; /**< owned; by id */
	size_t n, cap;
	struct wt_file_watch *watch; /**< watches files in memory that are looked at; borrowed; NULL: none is
				      * watched */
	struct wt_mounts *own;       /**< the caller's mounts, borrowed; NULL: these are it */
	struct wt_roots *roots; /**< roots of others (roots.h), searched for files that this root does not
				   lead to; borrowed; NULL: none */
};

/** Returns the mount by which an open file (also O_PATH) was reached; NULL: not known. Valid until the next
 * call. */
const struct wt_mount *wt_mounts_of(struct wt_mounts *mounts, int fd);
/** As above, for a directory. Costs more: an overlay that is exported may copy a directory of a lower layer
 * when a handle is asked for. */
const struct wt_mount *wt_mounts_of_directory(struct wt_mounts *mounts, int fd);
/** Makes the table at least as new as the call. Pointers into it end, unless it is that new. */
void wt_mounts_renew(struct wt_mounts *mounts);
/** Uses the mounts of a process from now on, as long as it exists; without it, the caller's. */
void wt_mounts_begin(struct wt_mounts *mounts, uint32_t pid);
void wt_mounts_deinit(struct wt_mounts *mounts);

#endif
