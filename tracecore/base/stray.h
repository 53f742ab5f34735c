/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Ending child processes that may not end: SIGKILL waits for what a process waits for in the kernel, and a
 * file system that is a program (FUSE) or lies behind a network can let it wait for ever.
 *
 * A child that does not end at once is left as it is, and waited for later. At most WT_STRAYS are remembered;
 * whoever makes children that may come to that asks first how many there are. One thread.
 */
#ifndef TRACECORE_BASE_STRAY_H
#define TRACECORE_BASE_STRAY_H

#include <stdbool.h>
#include <sys/types.h>

enum { WT_STRAYS = 32 };

/** Kills the child and waits for its end, a tenth of a second at most. False: it has not ended. */
bool wt_stray_end(pid_t pid);
/** How many of them have not ended yet. */
unsigned wt_strays(void);

#endif
