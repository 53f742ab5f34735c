/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Ends child processes that may not end. SIGKILL takes effect only when a process's wait in the kernel is
 * over. A file system that is a program (FUSE) or uses a network can make it wait for ever.
 *
 * A child that does not end at once is left behind and waited for later. At most WT_STRAYS such children are
 * remembered, each with the user whose process or file it waits for. Before a caller makes a child that may
 * be left behind, it asks how many there are. One thread.
 */
#ifndef TRACECORE_BASE_STRAY_H
#define TRACECORE_BASE_STRAY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { WT_STRAYS = 32 };

/** Kills the child and waits for its end, at most a tenth of a second. False: it has not ended. uid: the user
 * whose process or file the child waits for; UINT32_MAX: unknown. */
bool wt_stray_end(pid_t pid, uint32_t uid);
/** Kills the child and waits for it later, as if it had not ended at once. */
void wt_stray_leave(pid_t pid, uint32_t uid);
/** The number of children that were left behind and have not ended yet. */
unsigned wt_strays(void);
/** The number of these children that wait for that user. */
unsigned wt_strays_of(uint32_t uid);

#endif
