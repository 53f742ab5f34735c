/* SPDX-License-Identifier: MIT */
/**
 * @file
 * How long CPUs were idle, from /proc/stat: samples do not tell, for none is taken on an idle CPU.
 */
#ifndef PROVIDERS_PERF_IDLE_H
#define PROVIDERS_PERF_IDLE_H

#include <stdint.h>

/** ns that CPUs 0 to n - 1 were idle since the machine started, waiting for I/O included; UINT64_MAX for one
 * that is not in the file. path NULL: /proc/stat. -1 when there is no such file. */
int wt_perf_idle_read(const char *path, uint64_t *ret, uint32_t n);

#endif
