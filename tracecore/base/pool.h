/* SPDX-License-Identifier: MIT */
/** @file Shares work among several threads. They begin together, and all have ended when the call returns. */
#ifndef TRACECORE_BASE_POOL_H
#define TRACECORE_BASE_POOL_H

#include <stddef.h>
#include <stdint.h>

#include "tracecore/base/err.h"

/** One worker's part. `worker` belongs to it alone; data that workers share need a lock. */
typedef int wt_pool_work(void *worker, struct wt_err *err);

/**
 * Runs work once for each of n workers, each on a thread of its own.
 * @param workers n items of `size` bytes, one for each worker
 *
 * The calling thread is the first worker. The workers take pieces of work themselves (a counter, a list
 * under a lock). So a worker whose thread cannot be started does nothing, and the others do its part.
 * @return 0, or -1 when a worker's work returned anything else; *err is that of the first such worker
 */
int wt_pool_run(void *workers, uint32_t n, size_t size, wt_pool_work *work, struct wt_err *err);

/** The number of CPUs that this process may run on; at least 1. */
uint32_t wt_pool_cpus(void);

#endif
