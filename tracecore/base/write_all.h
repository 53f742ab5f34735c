/* SPDX-License-Identifier: MIT */
/** @file Writes all bytes, in however many pieces the kernel takes them. */
#ifndef TRACECORE_BASE_WRITE_ALL_H
#define TRACECORE_BASE_WRITE_ALL_H

#include <stddef.h>
#include <stdint.h>

/** Writes at the descriptor's position. Returns 0, or -1 with errno (ENOSPC: not a single byte was taken).
 * Goes on after signals. Async-signal-safe. */
int wt_write_all(int fd, const void *bytes, size_t len);
/** As wt_write_all, at an offset of the file. */
int wt_write_all_at(int fd, const void *bytes, size_t len, uint64_t offset);

#endif
