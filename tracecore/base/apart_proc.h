/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Reads, in a separate process (apart.h), the files of /proc/PID that the kernel fills from a process's
 * memory or under its locks (cmdline, maps). One thread.
 */
#ifndef TRACECORE_BASE_APART_PROC_H
#define TRACECORE_BASE_APART_PROC_H

#include <stdio.h>

#include "tracecore/base/buf.h"

/** Appends up to `most` bytes of /proc/PID/NAME (at most 31 characters). False: it cannot be read. */
bool wt_apart_proc(uint32_t pid, const char *name, uint64_t most, struct wt_buf *out);
/** Opens /proc/PID/NAME as a stream, which belongs to the caller. NULL: it cannot be read. */
FILE *wt_apart_proc_open(uint32_t pid, const char *name, uint64_t most);

#endif
