/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The modules of this process as a walk of its own stack meets them: where they are loaded, and their unwind
 * tables, which sessions publish (STACKS.md).
 *
 * Everything is in static memory of a fixed size, found without a lock; what somebody else is just filling in
 * counts as not there. Any thread, signal handlers too.
 */
#ifndef PROVIDERS_SDK_MODULES_H
#define PROVIDERS_SDK_MODULES_H

#include "tracecore/stackwalk/walk.h"

/** Tables a process keeps, and the largest one, bytes. They are copies, and stay. */
#define WT_SDK_TABLES      64u
#define WT_SDK_TABLE_BYTES (32u << 20)

/** Whether walking by tables can work here: modules can be found, and a session has published tables. */
bool wt_sdk_modules_known(void);
/** struct wt_walk_input.find; ctx is not used. Code of no module, and of one whose table is not there (yet),
 * is walked by frame pointers. The first call for a module makes system calls, and so does the first one
 * behind each publication; errno is kept. Empties the cache when a module has changed. */
bool wt_sdk_find_module(void *ctx, uint64_t address, struct wt_walk_module *ret);
/** What walks of this process share. */
extern struct wt_walk_cache wt_sdk_walk_cache;

/** In a child after fork: what another thread of the parent was filling in is given up. */
void wt_sdk_modules_begin_in_child(void);

#endif
