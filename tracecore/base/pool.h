/* SPDX-License-Identifier: MIT */
/** @file Work that several threads share: they begin together, and all have ended when the call returns. */
#ifndef TRACECORE_BASE_POOL_H
#define TRACECORE_BASE_POOL_H

#include <stddef.h>
#include <stdint.h>

#include "tracecore/base/err.h"

/** One worker's part. `worker` is its own; what workers share needs a lock. */
typedef int wt_pool_work(void *worker, struct wt_err *err);

/**
 * Runs work once for each of n workers, each on a thread of its own.
 * @param workers n items of `size` bytes, one a worker's
 *
 * The calling thread is the first worker. Work is handed out by the workers themselves (a counter, a list
 * under a lock): one whose thread cannot be started does nothing, and the others do its part.
 * @return 0, or -1 when a worker's work returned anything else; *err is that of the first of them
 */
int wt_pool_run(void *workers, uint32_t n, size_t size, wt_pool_work *work, struct wt_err *err);

/** CPUs this process may run on; at least 1. */
uint32_t wt_pool_cpus(void);

#endif
