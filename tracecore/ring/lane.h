/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Lanes: rings with one writer, for threads and records that the section cannot serve. One file per process
 * and session holds them all, sparse; a lane belongs to one thread and one signal nesting level, and passes
 * to another thread when its own is gone. Async-signal-safe.
 */
#ifndef TRACECORE_RING_LANE_H
#define TRACECORE_RING_LANE_H

#include "tracecore/ring/ring_file.h"
#include "tracecore/ring/self.h"

/** Bytes of a lane's block: the largest record, and room. */
#define WT_LANE_BLOCK_BYTES (2 * WT_ABI_RECORD_MAX)
/** Most blocks of a lane. */
#define WT_LANE_BLOCKS 16u
/** A lane's first block takes memory in steps of so many bytes: most lanes never need all of it. */
#define WT_LANE_STEP 16384u
/** Lanes in a process: threads that write through one at the same time, with their signal handlers. */
#define WT_LANES 4096u

struct wt_lanes {
	struct wt_ring_shape shape;
	uint64_t stride;
	uint64_t generation;
	uint32_t writer; /**< number of the writer, for threads' memory */
	uint8_t *map;    /**< the whole file; NULL before the first use */
};

/** The same memory limit as a CPU's ring, as far as a lane goes. */
void wt_lanes_init(struct wt_lanes *lanes, const struct wt_ring_spec *spec, uint32_t writer);

/** Where the first lane stands in the file. */
static inline uint64_t wt_lanes_first(void)
{
	return (sizeof(struct wt_abi_lanes) + WT_LANES * sizeof(uint64_t) + 4095) & ~UINT64_C(4095);
}

/** The calling thread's lane at nesting level `level` if it had it for its last write already; else NULL. The
 * thread's cache must be valid. */
static inline struct wt_abi_ring *wt_lane_known(const struct wt_lanes *lanes, unsigned level)
{
	uint8_t *map = __atomic_load_n(&lanes->map, __ATOMIC_ACQUIRE);
	unsigned i = 0;

	while (wt_ring_self.remembered[i].writer != lanes->writer)
		if (++i == WT_RING_REMEMBERED)
			return NULL;
	uint16_t lane = wt_ring_self.remembered[i].lanes[level];

	if (!lane || !map)
		return NULL;
	return (struct wt_abi_ring *)(map + wt_lanes_first() + (lane - 1u) * lanes->stride);
}

/** The calling thread's lane at nesting level `level`, made if it must be. NULL: none to be had. */
struct wt_abi_ring *wt_lane_get(struct wt_lanes *lanes, const struct wt_ring_dir *dir, unsigned level);

/** Replaces the lanes by private zeroes: writers that are still in find them closed. */
void wt_lanes_retire(struct wt_lanes *lanes);

#endif
