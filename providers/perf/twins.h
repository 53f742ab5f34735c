/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Joins the two records of a mapping: one with the file's build id, one with its device and inode.
 *
 * The kernel writes both records one behind the other into the ring of the CPU, in the order in which it
 * has its events. The first of the pair waits in memory. If the first one has the build id, it has been
 * delivered already; the second is then delivered too, with both. One ring, one thread.
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
	} last;      /**< the record that waits for its twin */
	bool inodes; /**< last came from the event of the inodes */
};

/** True when a waiting record was not delivered: a later recorder must read it again. */
static inline bool wt_perf_twins_wait(const struct wt_perf_twins *twins)
{
	return twins->last.there && twins->inodes;
}

static inline bool wt_perf_is_map(const struct wt_perf_record *record)
{
	return record->type == PERF_RECORD_MMAP || record->type == PERF_RECORD_MMAP2;
}

/** Takes a mapping. True: it is to be delivered, completed by its twin. */
bool wt_perf_twins_pair(struct wt_perf_twins *twins, struct wt_perf_record *record);
/** Takes a record of the sideband. True: it is to be delivered; a mapping is completed by its twin. */
static inline bool wt_perf_twins_take(struct wt_perf_twins *twins, struct wt_perf_record *record)
{
	return wt_perf_is_map(record) ? wt_perf_twins_pair(twins, record)
				      : record->slot != WT_PERF_SLOT_INODES;
}

/** Records were lost: the waiting record has no twin. */
static inline void wt_perf_twins_forget(struct wt_perf_twins *twins)
{
	twins->last.there = false;
}

#endif
