/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Gets room for shared memory in the traced program before the memory is touched. A page of a file raises
 * SIGBUS when it is touched and cannot get memory. A file that grows beyond RLIMIT_FSIZE raises SIGXFSZ.
 * Here both are errors that a function returns. Async-signal-safe; errno is the reason.
 */
#ifndef TRACECORE_RING_ROOM_H
#define TRACECORE_RING_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

/** True when a file of this process may have this many bytes; else errno is EFBIG. */
bool wt_room_allowed(uint64_t bytes);
/** Makes the file this many bytes long; new parts are hole. 0, or -1. */
int wt_room_extend(int fd, uint64_t bytes);
/** Gets memory for [offset, offset + bytes), and makes the file at least that long. The file never gets
 * shorter, even when another process makes it longer at the same time. Existing content is kept. 0; -1: the
 * memory may not be touched. */
int wt_room_take(int fd, uint64_t offset, uint64_t bytes);
/** Gets memory for the first bytes of a file; *st is the result of fstat. Makes no call when the file has
 * no holes. */
int wt_room_take_first(int fd, const struct stat *st, uint64_t bytes);
/** Gets memory for a shared mapping of a file that is long enough. True: its pages exist and may be
 * written. `at` is the start of a page. */
bool wt_room_populate(void *at, size_t bytes);
/** Used by wt_room_populate where the kernel (before 5.14) does not have the advice. */
bool wt_room_populate_by_page(void *at, size_t bytes);

/** Makes core dumps leave out a new shared mapping. */
void wt_room_keep_from_dumps(void *at, size_t bytes);

#endif
