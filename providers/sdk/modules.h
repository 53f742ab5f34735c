/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The modules of this process for walks of its own stack: their addresses, and their unwind tables, which
 * sessions publish (STACKS.md).
 *
 * Everything is in static memory of a fixed size, found without a lock; an entry that another thread is
 * filling in counts as absent. Any thread, also signal handlers.
 */
#ifndef PROVIDERS_SDK_MODULES_H
#define PROVIDERS_SDK_MODULES_H

#include "tracecore/stackwalk/walk.h"

/** Most tables that a process keeps, and the largest one, bytes. They are copies and are never freed. */
#define WT_SDK_TABLES      64u
#define WT_SDK_TABLE_BYTES (32u << 20)

/** True when walks by tables can work here: modules can be found, and a session has published tables. */
bool wt_sdk_modules_known(void);
/** struct wt_walk_input.find; ctx is not used. Code outside all modules, and of a module without a table
 * (yet), is walked by frame pointers. The first call for a module makes system calls, and so does the first
 * one after each publication; errno is kept. Empties the cache when a module has changed. */
bool wt_sdk_find_module(void *ctx, uint64_t address, struct wt_walk_module *ret);
/** The cache that walks of this process share. */
extern struct wt_walk_cache wt_sdk_walk_cache;

/** Call in a child after fork: drops entries that another thread of the parent was filling in. */
void wt_sdk_modules_begin_in_child(void);

#endif
