/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Mappings come twice: with the file's build id, and with its device and inode. Here the two become one.
 *
 * The kernel writes both records one behind the other into the ring of the CPU, in the order in which it has
 * its events. The first of the pair waits in memory; when it is the one with the build id, it has been given
 * out already, and the other is given out too, now with both. One ring, one thread.
 */
#ifndef PROVIDERS_PERF_TWINS_H
#define PROVIDERS_PERF_TWINS_H

#include <limits.h>
#include <linux/perf_event.h>

#include "providers/perf/record.h"

/** Zeroed is valid: none waits. */
struct wt_perf_twins {
	struct wt_perf_twin {
		bool there;
		uint64_t time;
		uint32_t pid, path_len;
		uint64_t address, size, file_offset, device, inode;
		uint8_t build_id_len, build_id[20];
		char path[PATH_MAX];
	} last;      /**< what waits for its twin */
	bool inodes; /**< last came from the event of the inodes */
};

/** A record waits that was not given out: who goes on from here must read it again. */
static inline bool wt_perf_twins_wait(const struct wt_perf_twins *twins)
{
	return twins->last.there && twins->inodes;
}

static inline bool wt_perf_is_map(const struct wt_perf_record *record)
{
	return record->type == PERF_RECORD_MMAP || record->type == PERF_RECORD_MMAP2;
}

/** A mapping. True: it is to be given out, with what its twin knows. */
bool wt_perf_twins_pair(struct wt_perf_twins *twins, struct wt_perf_record *record);
/** A record of the sideband. True: it is to be given out, a mapping with what its twin knows. */
static inline bool wt_perf_twins_take(struct wt_perf_twins *twins, struct wt_perf_record *record)
{
	return wt_perf_is_map(record) ? wt_perf_twins_pair(twins, record)
				      : record->slot != WT_PERF_SLOT_INODES;
}

/** Records were lost: what waits has no twin. */
static inline void wt_perf_twins_forget(struct wt_perf_twins *twins)
{
	twins->last.there = false;
}

#endif
