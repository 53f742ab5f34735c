/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Files of /proc/PID that the kernel fills from a process's memory or under its locks (cmdline, maps), read
 * apart (apart.h). One thread.
 */
#ifndef TRACECORE_BASE_APART_PROC_H
#define TRACECORE_BASE_APART_PROC_H

#include <stdio.h>

#include "tracecore/base/buf.h"

/** Appends up to `most` bytes of /proc/PID/NAME (at most 31 characters). False: nothing can be had of it. */
bool wt_apart_proc(uint32_t pid, const char *name, uint64_t most, struct wt_buf *out);
/** The same to read through: a stream of the caller's, NULL: nothing can be had. */
FILE *wt_apart_proc_open(uint32_t pid, const char *name, uint64_t most);

#endif
