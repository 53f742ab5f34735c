/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Each thread's last walk that reached the root: the thread's next stack is joined to it when that stack was
 * cut.
 *
 * Kept for as many threads as WT_WHOLE_BYTES hold; two threads whose ids meet in the table share a place.
 * Single-threaded.
 */
#ifndef CONSUMERS_UNWIND_WHOLE_WALKS_H
#define CONSUMERS_UNWIND_WHOLE_WALKS_H

#include "consumers/record/user_stack.h"
#include "tracecore/stackwalk/walk.h"

/** Bytes of all frames kept. */
#define WT_WHOLE_BYTES (UINT64_C(4) << 20)
/** Threads, a power of two. */
#define WT_WHOLE_THREADS 4096u

/** A walk in progress, as wt_walk filled it. */
struct wt_walk_frames {
	uint64_t *pc, *sp, *word; /**< room for WT_WALK_MAX each; the innermost frame first */
	struct wt_walk_result result;
};

/** The state in which words of rules are valid. */
struct wt_words_state {
	uint64_t version; /**< of the address space; 0: none */
	uint64_t removed; /**< tables removed when they were found */
};

struct wt_whole_walk {
	uint32_t pid, tid;
	uint64_t start_time;
	uint64_t time;               /**< of the event */
	struct wt_words_state state; /**< in which the words are good */
	uint32_t n;                  /**< frames */
	uint64_t exact[WT_WALK_MAX / 64];
	uint64_t words[]; /**< n pcs, then n stack pointers, then n words of the cache */
};

struct wt_whole_walks {
	struct wt_whole_walk **list; /**< owned; WT_WHOLE_THREADS, NULL: none */
	uint64_t bytes;
	uint32_t hand; /**< the next to be removed when there is no room */
};

int wt_whole_walks_init(struct wt_whole_walks *walks);
void wt_whole_walks_deinit(struct wt_whole_walks *walks);

/** Keeps the walk as the thread's last one. Without memory the one before is forgotten. */
void wt_whole_walks_keep(struct wt_whole_walks *walks, const struct wt_unwind_task *task,
			 const struct wt_words_state *state, const struct wt_walk_frames *frames);
/** The walk as a trail for one of the same thread in that state; empty when its words are of another one. */
static inline struct wt_walk_trail wt_whole_walk_trail(const struct wt_whole_walk *walk,
						       const struct wt_words_state *state)
{
	if (!walk || walk->state.version != state->version || walk->state.removed != state->removed)
		return (struct wt_walk_trail){0};
	return (struct wt_walk_trail){.pc = walk->words,
				      .sp = walk->words + walk->n,
				      .word = walk->words + 2 * (size_t)walk->n,
				      .n = walk->n};
}
/** The thread's last whole walk, or NULL. Good until the next keep. */
const struct wt_whole_walk *wt_whole_walks_find(const struct wt_whole_walks *walks,
						const struct wt_unwind_task *task);

/** Continues a truncated walk with the callers its outermost frame had in `whole`. False, and nothing is
 * changed: the two do not meet there. */
bool wt_whole_walk_splice(const struct wt_whole_walk *whole, struct wt_walk_frames *frames);

#endif
