/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Finds the calling thread's own stack: the one it was started on, whatever stack it runs on now (STACKS.md
 * section 4).
 */
#ifndef PROVIDERS_SDK_BOUNDS_H
#define PROVIDERS_SDK_BOUNDS_H

#include <stdbool.h>

#include "providers/sdk/thread.h"

/** Fills thread's bounds, once; bounds that cannot be found stay unknown. thread is the calling one's. Makes
 * system calls the first time only; while the process may make none, it makes none and tries again later.
 * Takes less than 400 bytes of stack, on any stack. Async-signal-safe, keeps errno. */
void wt_sdk_find_bounds(struct wt_sdk_thread *thread);

/** True on the thread's own stack with room for what the library does seldom: making rings. Elsewhere the
 * room is not known. As wt_sdk_find_bounds(). */
bool wt_sdk_has_stack(void);

/** Call in a child after fork: its first thread may not have been its parent's. Also releases state that
 * another thread of the parent held. No system call. */
void wt_sdk_bounds_begin_in_child(void);

#endif
