/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The user half of recorded stacks: from registers and a copy of the stack to return addresses, while
 * recording.
 *
 * The unwinder knows the tables of the images that stacks were found in, by build id or file identity, and
 * walks with tracecore/stackwalk. A table that is not in memory comes from the cache on disk, and where it is
 * not there it is made by a process of its own (the builder), so that the drain path never waits for an ELF
 * file and a hostile one harms nobody: a builder that dies costs the module it died of. One thread.
 */
#ifndef CONSUMERS_UNWIND_UNWINDER_H
#define CONSUMERS_UNWIND_UNWINDER_H

#include "consumers/space.h"
#include "tracecore/event.h"

struct wt_unwinder;

struct wt_unwinder_config {
	const char *
		cache; /**< folder for tables, made if need be; NULL: the user's own (wt_unwind_cache_path) */
	uint64_t cache_bytes; /**< 0: WT_UNWIND_CACHE_BYTES */
	bool past;            /**< the events are of a time gone by: no living process is read */
};

int wt_unwinder_create(const struct wt_unwinder_config *config, struct wt_unwinder **ret, struct wt_err *err);
void wt_unwinder_destroy(struct wt_unwinder *unwinder);

/** Becomes readable when a table has been made; for poll. -1: none. */
int wt_unwinder_fd(const struct wt_unwinder *unwinder);

enum wt_unwound {
	WT_UNWOUND = 0,     /**< *ret holds the whole stack */
	WT_UNWIND_WAIT = 1, /**< a table is being made: ask again with the same event, later */
};

/** Whose stack it is, at the moment of the event. */
struct wt_unwind_task {
	uint32_t pid, tid;
	uint64_t start_time;    /**< of the process: pids come again */
	uint64_t time;          /**< of the event */
	struct wt_space *space; /**< NULL: nothing is known of it */
};

/** Walks what `raw` carries as a dump (it has one). *ret gets the kernel half as it was, the user half behind
 * it, and how the walk ended; its addresses are the unwinder's, good until the next call. With `now` nothing
 * is waited for: frames of a module whose table is not there yet end the stack (WT_STACK_NO_DATA). */
enum wt_unwound wt_unwind(struct wt_unwinder *unwinder, const struct wt_unwind_task *task,
			  const struct wt_raw_stack *raw, bool now, struct wt_raw_stack *ret);

/** Counts for status and for the log's rundown. */
struct wt_unwinder_stats {
	uint64_t stacks, frames;
	uint64_t by_status[WT_STACK_SHORT + 1];
	uint64_t tables;        /**< in memory now */
	uint64_t table_bytes;   /**< mapped; not the process's own memory */
	uint64_t built, failed; /**< tables made for this session, and those that could not be */
	uint64_t waited_ns;     /**< time events waited for tables */
	uint64_t given_up;      /**< stacks that were walked without a table that came later */
};
const struct wt_unwinder_stats *wt_unwinder_stats(const struct wt_unwinder *unwinder);

#endif
