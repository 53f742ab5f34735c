/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The loops over a column's values. Each is compiled for the widest vectors that a CPU may have, because
 * the loops run over every written value, most of them several times.
 *
 * Pure functions of their arguments; any thread. The version is chosen at each call, and all versions give
 * equal results. Where CPUs are not distinguished there is one version.
 */
#ifndef TRACECORE_LOGFMT_FORMAT_LOOPS_H
#define TRACECORE_LOGFMT_FORMAT_LOOPS_H

#include <stdint.h>

/** The least and the most of n values, at least 1, as signed and as unsigned numbers. */
void wt_log_range(const uint64_t *values, uint32_t n, int64_t *least, int64_t *most);
void wt_log_range_unsigned(const uint64_t *values, uint32_t n, uint64_t *least, uint64_t *most);
/** The least and the most of the n - 1 steps from each value to the next, n at least 2; steps wrap around. */
void wt_log_range_steps(const uint64_t *values, uint32_t n, int64_t *least, int64_t *most);

/** Puts the low `width` bytes (1 to 8) of each value less base into planes: byte p of value i to p[p * n +
 * i]. */
void wt_log_split(const uint64_t *values, uint32_t n, uint64_t base, unsigned width, uint8_t *p);
/** Puts the n - 1 steps, each less `least`, into planes of n - 1 bytes. */
void wt_log_split_steps(const uint64_t *values, uint32_t n, uint64_t least, unsigned width, uint8_t *p);

#endif
