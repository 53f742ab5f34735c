/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Reads perf-PID.map: a line per function, START SIZE NAME with hexadecimal numbers, no times.
 *
 * The text comes in pieces of any size and from any program. Other lines are left out. One thread.
 */
#ifndef CONSUMERS_SYMBOLS_PERF_MAP_H
#define CONSUMERS_SYMBOLS_PERF_MAP_H

#include "consumers/symbols/code_map.h"

/** The length of a line besides its name; longer lines are cut. */
#define WT_PERF_MAP_NUMBERS 64

/** Zeroed with a map it is ready. */
struct wt_perf_map {
	struct wt_code_map *map;                           /**< borrowed */
	char line[WT_CODE_NAME_MAX + WT_PERF_MAP_NUMBERS]; /**< the one that has begun */
	uint32_t len;
};

void wt_perf_map_feed(struct wt_perf_map *reader, const void *bytes, size_t len);
/** The last line may lack its end: it is left out, its writer may not be done with it. */
void wt_perf_map_end(struct wt_perf_map *reader);

#endif
