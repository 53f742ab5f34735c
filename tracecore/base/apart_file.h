/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Opens files that others chose, on file systems that may never answer. The search is done in a separate
 * process (apart.h).
 *
 * A file is opened only if it lies on a file system of the kernel alone (near), so that its reader waits
 * for no program and no network. For other files the caller gets a copy if it asked for one, else nothing.
 * One thread.
 */
#ifndef TRACECORE_BASE_APART_FILE_H
#define TRACECORE_BASE_APART_FILE_H

#include <stdbool.h>
#include <stdint.h>

/** Larger files, in bytes, are not copied: an answer would not come in time. */
#define WT_APART_COPY_MOST (UINT64_C(16) << 20)

struct wt_apart_search {
	const char *path; /**< below the root; links do not lead out of the root */
	int root;         /**< a descriptor of the caller; -1: none */
	uint32_t pid;     /**< without a root: the process whose root it is; 0: the caller */
	uint32_t payer;   /**< the user who is not asked for a while if there is no answer */
	uint32_t owner;   /**< only a file of that user, and only at the path itself; UINT32_MAX: of any
			   * user */
	bool copied;      /**< a copy will do */
};

struct wt_apart_file {
	uint64_t inode, size, born, modified, changed; /**< times: ns since 1970; born 0: not known */
};

/** Returns a descriptor of the regular file there, or -1. */
int wt_apart_open(const struct wt_apart_search *search, struct wt_apart_file *ret);
/** True when a reader of the file waits for no program and no network. Asks the file system, and may wait for
 * its answer. */
bool wt_apart_is_near(int fd);

#endif
