/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Makes the unwind table of an ELF file, of a file that is mapped somewhere, or of an image in memory (the
 * vdso).
 *
 * Sections are found by name, or, when the file has no section headers, by its program headers. Only the
 * needed parts are read, by pread. So a file that is truncated meanwhile gives errors, not signals, and the
 * cost of a file of gigabytes is the cost of its unwind data. 64-bit little-endian x86-64 and arm64 only.
 * Slow (milliseconds): never use it on a drain path. Any thread; no global state but libelf's version.
 */
#ifndef TRACECORE_STACKWALK_ELF_MODULE_H
#define TRACECORE_STACKWALK_ELF_MODULE_H

#include "tracecore/stackwalk/table_writer.h"
#include "tracecore/stackwalk/walk.h"

#include <stddef.h>
#include <sys/types.h>

/** From an open file, which still belongs to the caller; its position is not used. The caller chooses the
 * table's key. WT_ERR_FORMAT: no ELF. WT_ERR_UNSUPPORTED: another machine. */
int wt_unwind_from_fd_as(int fd, const struct wt_unwind_key *key, struct wt_unwind_table *ret,
			 struct wt_err *err);

/** From the image of a file in memory. Without a build id the key is empty. */
int wt_unwind_from_memory(const void *bytes, size_t len, struct wt_unwind_table *ret, struct wt_err *err);
/** From the image of a file in memory. The caller chooses the table's key. */
int wt_unwind_from_memory_as(const void *bytes, size_t len, const struct wt_unwind_key *key,
			     struct wt_unwind_table *ret, struct wt_err *err);

/** The key of a file: its build id, else its identity: device, inode, size, time of change. */
int wt_unwind_key_of_fd(int fd, struct wt_unwind_key *ret, struct wt_err *err);
/** The key that a process with the file loaded computes (wt_unwind_loaded_key), for a file and for an image
 * in memory. Empty: without a build id or PT_GNU_EH_FRAME there is none. */
int wt_unwind_loaded_key_of_fd(int fd, struct wt_unwind_key *ret, struct wt_err *err);
int wt_unwind_loaded_key_of_memory(const void *bytes, size_t len, struct wt_unwind_key *ret,
				   struct wt_err *err);
/** The file's device, inode and time of change, with or without a build id, and in place of its size a hash
 * of its build id and unwind data, and of its code where it has no build id: two images that lie on one loop
 * device in turn may agree in all else. No other file has this key. */
int wt_unwind_identity_of_fd(int fd, struct wt_unwind_key *ret, struct wt_err *err);

/** Opens the file that is mapped at [start, end) of a process, deleted or not: through /proc/PID/map_files
 * or, where that is not permitted, by `path` below the process's root, if its inode is still `inode` (0:
 * any). Opens regular files only. Returns the descriptor, or -1. */
int wt_unwind_open_mapping(pid_t pid, uint64_t start, uint64_t end, const char *path, uint64_t inode,
			   struct wt_err *err);

#endif
