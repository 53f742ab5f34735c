/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Mappings that nobody looked at when they were reported, and that a stack leads through now.
 *
 * A walk by a file's table is a proof only if the mapping has the file's bytes. All such mappings of a stack
 * are looked at together, because a question costs more than what it asks about. A process that has ended is
 * asked nothing, and for a while not even whether it has ended. One thread.
 */
#ifndef CONSUMERS_UNWIND_UNSEEN_H
#define CONSUMERS_UNWIND_UNSEEN_H

#include "consumers/unwind/living.h"

/** Mappings looked at together, at most. */
#define WT_UNSEEN_MOST 32u
/** Ended processes that are remembered, a power of two; for so long, ns. */
#define WT_UNSEEN_ENDED 64u
#define WT_UNSEEN_REST  WT_NSEC

/** A mapping, and whether it has the file's bytes. */
struct wt_unseen_range {
	uint64_t start, end;
	bool is_files;
};

/** Sets is_files of those that have the file's bytes; it is false in all before. n: at most WT_UNSEEN_MOST.
 */
typedef void wt_unseen_look_fn(uint32_t pid, struct wt_unseen_range *ranges, uint32_t n);

/** Zeroed remembers nothing. */
struct wt_unseen {
	struct wt_unseen_process {
		uint64_t start_time, until; /**< until: session clock */
		uint32_t pid;
	} ended[WT_UNSEEN_ENDED];
};

/** True when a frame lies in a mapping of which nobody knows that it has the file's bytes. Marks those as
 * seen that are found to have them. look: NULL: nobody can look. */
bool wt_unseen_in(struct wt_unseen *unseen, wt_unseen_look_fn *look, struct wt_living *living,
		  const struct wt_unwind_task *task, const struct wt_walk_frames *frames);

#endif
