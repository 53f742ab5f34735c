/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Where the calling thread's own stack lies: the one it was started on, whatever stack it runs on now
 * (STACKS.md section 4).
 */
#ifndef PROVIDERS_SDK_BOUNDS_H
#define PROVIDERS_SDK_BOUNDS_H

#include "providers/sdk/thread.h"

/** Fills thread's bounds, once; what cannot be had stays so. thread is the calling one's. Makes system calls,
 * the first time only; none, and tries again later, while the process may make none. Takes less than 400
 * bytes of stack, whichever stack that is. Async-signal-safe, keeps errno. */
void wt_sdk_find_bounds(struct wt_sdk_thread *thread);

/** In a child after fork: its first thread may not have been its parent's; and what another thread of the
 * parent held is given up. No system call. */
void wt_sdk_bounds_begin_in_child(void);

#endif
