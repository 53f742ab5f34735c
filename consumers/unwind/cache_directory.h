/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The directory unwind tables are kept in: made with the directories above it, and known to be writable.
 */
#ifndef CONSUMERS_UNWIND_CACHE_DIRECTORY_H
#define CONSUMERS_UNWIND_CACHE_DIRECTORY_H

#include "tracecore/stackwalk/cache.h"

/** Opens the directory of that path, which is made if need be (0700). As wt_unwind_cache_open; also fails
 * when nothing can be written there. */
int wt_unwind_cache_prepare(const char *path, uint64_t max_bytes, struct wt_unwind_cache *ret,
			    struct wt_err *err);
/** Opens the default directory (wt_unwind_cache_path). False: there is none, and everything is looked up
 * anew. */
bool wt_unwind_cache_usual(struct wt_unwind_cache *ret);

#endif
