/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The registration lock: the threads of this process exclude each other. A fork while it is held does not
 * leave it locked in the child.
 */
#ifndef TRACECORE_ENABLE_LOCK_H
#define TRACECORE_ENABLE_LOCK_H

/** Waits for other threads of this process. Not async-signal-safe; not recursive. */
void wt_enable_lock(void);
void wt_enable_unlock(void);

#endif
