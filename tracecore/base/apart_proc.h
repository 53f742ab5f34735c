/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Reads, in a separate process (apart.h), the files of /proc/PID that the kernel fills from a process's
 * memory or under its locks (cmdline, maps, stat), and follows its links. A process can hold one of these
 * locks for ever: in an exec that closes a file of a program that does not answer. Newer kernels (seen on
 * Linux 6.18) take it for most files and for all links, but not for status, comm, cgroup, mountinfo and the
 * list of threads. One thread.
 */
#ifndef TRACECORE_BASE_APART_PROC_H
#define TRACECORE_BASE_APART_PROC_H

#include <stdio.h>

#include "tracecore/base/buf.h"

/** Appends up to `most` bytes of /proc/PID/NAME (at most 31 characters). False: it cannot be read. */
bool wt_apart_proc(uint32_t pid, const char *name, uint64_t most, struct wt_buf *out);
/** Opens /proc/PID/NAME as a stream, which belongs to the caller. NULL: it cannot be read. */
FILE *wt_apart_proc_open(uint32_t pid, const char *name, uint64_t most);
/** Reads a file of less than `size` bytes; zero-ended. False: it cannot be read, and ret is empty. */
bool wt_apart_proc_text(uint32_t pid, const char *name, char *ret, size_t size);
/** Reads the link /proc/PID/NAME; zero-ended, and cut to fit. False: it cannot be read, and ret is empty. */
bool wt_apart_proc_link(uint32_t pid, const char *name, char *ret, size_t size);
/** Opens what the link /proc/PID/NAME leads to, with O_PATH and these flags. The descriptor belongs to the
 * caller; -1: it cannot be opened. */
int wt_apart_proc_follow(uint32_t pid, const char *name, int flags);

#endif
