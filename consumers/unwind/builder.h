/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The process that makes unwind tables, as its recorder sees it (UNWIND.md section 2).
 *
 * Requests wait in a queue and are handed out one at a time, so that the death of a builder shows which
 * request caused it. It is forked when there is something to do and none is there; it dies with the thread
 * that forked it. Where users have shares (table_shares.h), requests of those who have used up theirs wait.
 * One thread.
 */
#ifndef CONSUMERS_UNWIND_BUILDER_H
#define CONSUMERS_UNWIND_BUILDER_H

#include <sys/types.h>

#include "consumers/unwind/build_wire.h"
#include "consumers/unwind/table_shares.h"
#include "tracecore/stackwalk/cache.h"

struct wt_builder {
	struct wt_unwind_cache *cache; /**< borrowed; where tables go */
	uint64_t build_time;           /**< ns a table may take */
	struct wt_table_shares shares; /**< none, unless they are begun */
	int fd;                        /**< owned; -1: no process */
	pid_t pid;
	struct wt_build_job *first, *last; /**< owned; the first has been sent if `sent` is not 0 */
	uint32_t n_jobs;
	uint64_t used; /**< CPU time of processes that have ended, ns... */
	uint64_t seen; /**< ...and of the one there is, when it was last asked */
	uint64_t sent; /**< session clock, when the first was handed out; 0: not yet */
};

void wt_builder_init(struct wt_builder *builder, struct wt_unwind_cache *cache, uint64_t build_time);
/** Kills the process; requests are forgotten. */
void wt_builder_deinit(struct wt_builder *builder);

/** Queues a request, which is copied, on the account of uid, and hands it out when nothing else is being
 * done. -1: memory is out, or as many wait as may, of all or of that user, who has a share. */
int wt_builder_ask(struct wt_builder *builder, const struct wt_build_request *request, uint32_t uid);
/** The request of that id, if it waits or is being done, is on another account from now on. */
void wt_builder_charge(struct wt_builder *builder, uint32_t id, uint32_t uid);
/** The request of that id, if it waits, is the next one. */
void wt_builder_prefer(struct wt_builder *builder, uint32_t id);
/** Takes the next answer, waiting for nothing; hands out the next request behind it. False: none yet. */
bool wt_builder_answer(struct wt_builder *builder, struct wt_build_answer *ret);

/** CPU time that making tables has taken so far, ns: of a process that crashed, until its last answer.
 */
uint64_t wt_builder_cpu(struct wt_builder *builder);

/** The body of parent's child: reads requests from fd until its end. Never returns. */
void wt_build_child(int fd, pid_t parent, struct wt_unwind_cache *cache, uint64_t build_time)
	__attribute__((noreturn));
/** One request, as the process does it. */
void wt_build_one(const struct wt_build_request *request, struct wt_unwind_cache *cache,
		  struct wt_build_answer *ret);

#endif
