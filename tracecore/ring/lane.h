/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Lanes: rings with one writer, for threads and records that the section cannot serve. One file per process
 * and session holds all lanes. It grows by a lane when that lane is needed for the first time. Each lane is
 * mapped separately. A lane belongs to one thread and one signal nesting level, and passes to another
 * thread when its own thread has ended. Async-signal-safe.
 */
#ifndef TRACECORE_RING_LANE_H
#define TRACECORE_RING_LANE_H

#include "tracecore/ring/ring_file.h"
#include "tracecore/ring/self.h"
#include "tracecore/ring/standing.h"

/** Bytes of a lane's block: the largest record, and some room. */
#define WT_LANE_BLOCK_BYTES (2 * WT_ABI_RECORD_MAX)
/** Most blocks of a lane. */
#define WT_LANE_BLOCKS 16u
/** A lane's first block takes memory in steps of this many bytes, because most lanes never need all of it. */
#define WT_LANE_STEP 16384u
/** The number of lanes in a process: the threads that write through lanes at one time, with their signal
 * handlers. */
#define WT_LANES 4096u

/** The mapped part of a process's file of lanes. In private memory; a forked child makes its own. */
struct wt_lane_file {
	struct wt_abi_lanes *head; /**< with the owners behind it */
	uint64_t dev, ino;
	char name[64];
	struct wt_abi_ring *lanes[WT_LANES]; /**< NULL: not mapped yet */
};

struct wt_lanes {
	struct wt_ring_shape shape;
	uint64_t stride;
	uint64_t generation;
	uint32_t writer;             /**< number of the writer, for threads' memory */
	struct wt_lane_file *file;   /**< NULL before the first use */
	struct wt_patience patience; /**< for lanes that could not be had */
};

/** A lane may have as much memory as a CPU's ring, up to WT_LANE_BLOCKS blocks. */
void wt_lanes_init(struct wt_lanes *lanes, const struct wt_ring_spec *spec, uint32_t writer);

/** Rounds up to a multiple of the largest page size there is, because lanes are mapped one by one. */
static inline uint64_t wt_lanes_align(uint64_t bytes)
{
	return (bytes + 65535) & ~UINT64_C(65535);
}

/** The offset of the first lane in the file. */
static inline uint64_t wt_lanes_first(void)
{
	return wt_lanes_align(sizeof(struct wt_abi_lanes) + WT_LANES * sizeof(uint64_t));
}

/** The calling thread's lane at nesting level `level` if its last write used it; else NULL. The thread's
 * cache must be valid. */
static inline struct wt_abi_ring *wt_lane_known(const struct wt_lanes *lanes, unsigned level)
{
	const struct wt_lane_file *file = __atomic_load_n(&lanes->file, __ATOMIC_ACQUIRE);
	unsigned i = 0;

	while (wt_ring_self.remembered[i].writer != lanes->writer)
		if (++i == WT_RING_REMEMBERED)
			return NULL;
	uint16_t lane = wt_ring_self.remembered[i].lanes[level];

	return lane && file ? file->lanes[lane - 1u] : NULL;
}

/** The calling thread's lane at nesting level `level`, made if necessary. NULL: no lane is available. */
struct wt_abi_ring *wt_lane_get(struct wt_lanes *lanes, const struct wt_ring_dir *dir, unsigned level);

/** Replaces the lanes by private zeros: a writer that still uses one finds it closed. */
void wt_lanes_retire(struct wt_lanes *lanes);

#endif
