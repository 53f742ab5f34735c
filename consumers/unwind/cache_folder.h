/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The folder unwind tables are kept in: made with the folders above it, and known to be writable.
 */
#ifndef CONSUMERS_UNWIND_CACHE_FOLDER_H
#define CONSUMERS_UNWIND_CACHE_FOLDER_H

#include "tracecore/stackwalk/cache.h"

/** Opens the folder of that path, which is made if need be (0700). As wt_unwind_cache_open; also fails when
 * nothing can be written there. */
int wt_unwind_cache_prepare(const char *path, uint64_t max_bytes, struct wt_unwind_cache *ret,
			    struct wt_err *err);
/** The folder everybody uses (wt_unwind_cache_path). False: there is none, and all is looked up anew. */
bool wt_unwind_cache_usual(struct wt_unwind_cache *ret);

#endif
