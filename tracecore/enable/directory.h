/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Finds directories and files that belong to one user alone.
 *
 * A path is walked once, by opening a directory without following a link at its end; everything below is
 * opened through descriptors, with O_NOFOLLOW at each step, and is checked with fstat after the open. Files
 * appear whole or not at all. Nothing here keeps state; any thread.
 */
#ifndef TRACECORE_ENABLE_DIRECTORY_H
#define TRACECORE_ENABLE_DIRECTORY_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "tracecore/base/err.h"

#define WT_DIRECTORY_RUNTIME      "/dev/shm"
#define WT_DIRECTORY_RUNTIME_NAME "WTRACE_RUNTIME"

/** Writes the path of the user's directory into ret (PATH_MAX bytes): the environment's variable if it is
 * set and the program is not set-uid, else BASE/wtrace-UID of the effective user, or its substitute where
 * another user has taken that name (squat.h). */
void wt_directory_path(char *ret, const char *variable, const char *base);
/** Root's announcements: /dev/shm/wtrace-root, or WTRACE_ROOT_RUNTIME. Valid until the environment changes.
 */
const char *wt_directory_root_path(void);

/** Opens an existing directory, no link to one. -1 with errno; EXDEV: another user's program serves a file
 * system there, and *by (may be NULL) is who mounted it (way.h). Async-signal-safe. */
int wt_directory_open(const char *path, uid_t *by);
/** Opens a directory of the effective user, mode 0700, made if absent. Returns a descriptor, or -1 with a
 * reason that names the owner. */
int wt_directory_open_private(const char *path, struct wt_err *err);
/** As wt_directory_open, of a directory that must belong to owner and be writable by nobody else. EPERM: it
 * does not meet this. */
int wt_directory_open_owned(const char *path, uid_t owner);
/** Opens dir/name, made if absent and wanted; it must belong to the owner of dir. A directory that root makes
 * in another user's is given to that user. -1 with errno. Async-signal-safe. */
int wt_directory_open_below(int dir, const char *name, bool make);
/** Opens the regular file dir/name, which must belong to owner. -1 with errno. Async-signal-safe. */
int wt_directory_open_file(int dir, const char *name, int flags, uid_t owner);
/** As wt_directory_open_file; *ret gets the result of fstat. */
int wt_directory_open_known(int dir, const char *name, int flags, uid_t owner, struct stat *ret);
/** Reads n bytes at offset, in however many pieces. 0, or -1 when they are not there. Async-signal-safe. */
int wt_directory_read(int fd, void *ret, size_t n, off_t offset);
int wt_directory_write(int fd, const void *bytes, size_t n, off_t offset);

/** A new file: fill fd, link it, end it. */
struct wt_new_file {
	int dir, fd;
	char temp[40]; /**< its temporary name until it is linked; empty: it has none */
};

/** Makes a file in dir that no reader sees yet, open for reading and writing, with that mode. 0 or -1 with
 * errno. */
int wt_new_file_begin(int dir, mode_t mode, struct wt_new_file *ret);
/** Gives the file its name: 0; 1: a complete file has the name already; -1 with errno. */
int wt_new_file_link(struct wt_new_file *file, const char *name);
/** Closes the descriptor; an unlinked file is removed. */
void wt_new_file_end(struct wt_new_file *file);

#endif
