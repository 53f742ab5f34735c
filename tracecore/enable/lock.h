/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The registration lock: this process's threads exclude each other. A fork in the middle does not leave it
 * locked in the child.
 */
#ifndef TRACECORE_ENABLE_LOCK_H
#define TRACECORE_ENABLE_LOCK_H

/** Waits for other threads of this process. Not async-signal-safe; not recursive. */
void wt_enable_lock(void);
void wt_enable_unlock(void);

#endif
