/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Making the unwind table of an ELF file, of one that is mapped somewhere, or of an image in memory (the
 * vdso).
 *
 * Sections are found by name, or, when the file has no section headers, by its program headers. Only what is
 * needed is read, by pread: a file that is cut meanwhile gives errors, not signals, and a file of gigabytes
 * costs its unwind data. 64-bit little-endian x86-64 and arm64 only. Slow (milliseconds): never on a drain
 * path. Any thread; no global state but libelf's version.
 */
#ifndef TRACECORE_STACKWALK_ELF_MODULE_H
#define TRACECORE_STACKWALK_ELF_MODULE_H

#include "tracecore/stackwalk/table_writer.h"
#include "tracecore/stackwalk/walk.h"

#include <stddef.h>
#include <sys/types.h>

/** From an open file, which stays the caller's; its position is not used. The table has the key that the
 * caller chooses. WT_ERR_FORMAT: no ELF. WT_ERR_UNSUPPORTED: another machine. */
int wt_unwind_from_fd_as(int fd, const struct wt_unwind_key *key, struct wt_unwind_table *ret,
			 struct wt_err *err);

/** From the image of a file in memory. Without a build id the key is empty. */
int wt_unwind_from_memory(const void *bytes, size_t len, struct wt_unwind_table *ret, struct wt_err *err);
/** The same under a key of the caller's choice. */
int wt_unwind_from_memory_as(const void *bytes, size_t len, const struct wt_unwind_key *key,
			     struct wt_unwind_table *ret, struct wt_err *err);

/** The key of a file: its build id, else its identity: device, inode, size, time of change. */
int wt_unwind_key_of_fd(int fd, struct wt_unwind_key *ret, struct wt_err *err);
/** The key that a process with the file loaded computes (wt_unwind_loaded_key), of a file and of an image in
 * memory. Empty: without a build id or PT_GNU_EH_FRAME there is none. */
int wt_unwind_loaded_key_of_fd(int fd, struct wt_unwind_key *ret, struct wt_err *err);
int wt_unwind_loaded_key_of_memory(const void *bytes, size_t len, struct wt_unwind_key *ret,
				   struct wt_err *err);
/** The file's identity, build id or not; no other file has this key. */
int wt_unwind_identity_of_fd(int fd, struct wt_unwind_key *ret, struct wt_err *err);

/** Opens the file that is mapped at [start, end) of a process, deleted or not: through /proc/PID/map_files,
 * and where that is not permitted by `path` below the process's root, if it still is the inode `inode` (0:
 * any). Regular files only: nothing else is opened. Returns the descriptor, or -1. */
int wt_unwind_open_mapping(pid_t pid, uint64_t start, uint64_t end, const char *path, uint64_t inode,
			   struct wt_err *err);

#endif
