/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Room for shared memory, in the traced program: sure before it is touched. A page of a file that cannot have
 * memory raises SIGBUS when it is touched, a file that grows beyond RLIMIT_FSIZE raises SIGXFSZ; here both
 * are answers. Async-signal-safe; errno is the reason.
 */
#ifndef TRACECORE_RING_ROOM_H
#define TRACECORE_RING_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

/** May a file of this process be so many bytes long? EFBIG: no. */
bool wt_room_allowed(uint64_t bytes);
/** Makes the file so many bytes long, all hole where it was shorter. 0, or -1. */
int wt_room_extend(int fd, uint64_t bytes);
/** Memory for [offset, offset + bytes), with the file at least that long; it never gets shorter, whoever else
 * makes it longer. What is there keeps its content. 0; -1: nothing may be touched there. */
int wt_room_take(int fd, uint64_t offset, uint64_t bytes);
/** Memory for the first bytes of a file, of which fstat has said *st: makes no call where it has no holes. */
int wt_room_take_first(int fd, const struct stat *st, uint64_t bytes);
/** Memory for a shared mapping of a file that is long enough: its pages are there, for writing, when this
 * returns true. `at` is on a page's start. */
bool wt_room_populate(void *at, size_t bytes);
/** What wt_room_populate does where the kernel (before 5.14) has no advice for it. */
bool wt_room_populate_by_page(void *at, size_t bytes);

/** A new shared mapping: core dumps leave it out. */
void wt_room_keep_from_dumps(void *at, size_t bytes);

#endif
