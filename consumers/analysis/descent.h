/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The way from a row down a stack: which node of a forest stands for a stack below a base node.
 *
 * A level per frame, from the outermost to the innermost. The code keys decide a level's id: with one key it
 * is the key's id of the frame, with several keys a "place", the ids of all of them. Consecutive frames of
 * which nothing is known are one level, and frames beyond WT_MAX_FRAMES share the last level.
 *
 * Every (base, stack) is descended once per segment and then remembered, and so are all its callers: the work
 * grows with the number of different stacks, not with events or depths. Single-threaded.
 */
#ifndef CONSUMERS_ANALYSIS_DESCENT_H
#define CONSUMERS_ANALYSIS_DESCENT_H

#include "consumers/analysis/forest.h"
#include "consumers/analysis/key.h"

enum { WT_VIEW_MAX_KEYS = 16 };

/** Instead of a stack's number: an event of the recorder itself, which has one level, its name. */
#define WT_VIEW_SELF_STACK UINT32_MAX
/** The stack of CPU time that no sample was taken of. */
#define WT_VIEW_UNSAMPLED_STACK (UINT32_MAX - 1)

struct wt_view_descent {
	struct wt_view_file *file;     /**< borrowed */
	struct wt_view_forest *forest; /**< borrowed */
	struct wt_view_key *keys[WT_VIEW_MAX_KEYS];
	uint32_t n_keys;         /**< 1 or more */
	struct wt_intern places; /**< with several keys: (place of the keys before or WT_VIEW_NONE, id) */
	uint32_t place_slot;     /**< of wt_view_memo: by frame */

	/* of the segment in use */
	struct wt_view_segment *segment;
	struct wt_view_known {
		uint32_t base; /**< the first one the stack was met below; WT_VIEW_NONE: none yet */
		uint32_t node; /**< the stack's below it, or WT_VIEW_NONE */
	} * known;             /**< by stack; 0 is the empty one */
	uint32_t known_cap;
	struct wt_intern paths; /**< (base, stack) for further bases */
	uint32_t *path_nodes;   /**< by id of paths */
	uint32_t path_cap;
	uint32_t *trail; /**< scratch: stacks on the way up */
	uint32_t trail_cap;
};

/** keys name code and outlive the descent, as file and forest do. Undo with wt_view_descent_deinit. */
void wt_view_descent_init(struct wt_view_descent *descent, struct wt_view_file *file,
			  struct wt_view_forest *forest, struct wt_view_key *const *keys, uint32_t n_keys);
void wt_view_descent_deinit(struct wt_view_descent *descent);
/** The forest was emptied. */
void wt_view_descent_forget(struct wt_view_descent *descent);

/** The node of a stack: 0 is the empty one (a level "[no stack]"). WT_VIEW_NONE on failure, err filled. */
uint32_t wt_view_descend(struct wt_view_descent *descent, struct wt_view_segment *segment, uint32_t base,
			 uint32_t stack, struct wt_err *err);

/** Of a level's id: the place of the first n keys; n from 1 to n_keys. */
uint32_t wt_view_place(const struct wt_view_descent *descent, uint32_t id, uint32_t n);
/** Of a place of n keys: the id of the last of them. */
uint32_t wt_view_place_id(const struct wt_view_descent *descent, uint32_t place);

#endif
