/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Which processes may have one memory: those that come of one another by forks, with no program begun since.
 *
 * A child made with CLONE_VM (vfork, posix_spawn, or for good) has its parent's memory, and the kernel's
 * record of a fork does not tell. What one maps the other has mapped, but the kernel tells it of one only. So
 * who forked whom is kept as a tree, and when one of them maps something the kernel is asked (kcmp), once for
 * each edge: two memories that differ never become one. A new program leaves the tree, and so does who ends;
 * his children go to his parent, or where he has none to the first of them. Single-threaded.
 */
#ifndef CONSUMERS_KIN_H
#define CONSUMERS_KIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Processes of one memory that are found, beside the one that maps. */
#define WT_KIN_MOST 64

struct wt_process;

/** In each process; zeroed: it has no kin. */
struct wt_kin {
	struct wt_process *parent, *first, *prev, *next; /**< first: child; prev, next: siblings */
	bool same;                                       /**< its memory is the parent's, surely */
};

/** Two processes, as the kernel answers. */
enum wt_memory {
	WT_MEMORY_SAME,
	WT_MEMORY_OTHER,
	WT_MEMORY_UNKNOWN, /**< one is gone, or the kernel does not tell */
};

/** Who of its kin may have the memory of the process. */
struct wt_sharers {
	uint32_t n;
	struct {
		struct wt_process *process;
		enum wt_memory memory; /**< WT_MEMORY_SAME, or _UNKNOWN */
	} of[WT_KIN_MOST];
};

/** The child was forked by the parent, or may have been. */
void wt_kin_join(struct wt_process *parent, struct wt_process *child);
/** It begins another program, or has ended. */
void wt_kin_leave(struct wt_process *process);
/** True when somebody is to be asked for. */
static inline bool wt_kin_has(const struct wt_kin *kin)
{
	return kin->parent || kin->first;
}
/** Who has the process's memory, or may have; ask: the kernel, of two pids. Who surely has another is left
 * out, and no kin any more. */
void wt_kin_sharers(struct wt_process *process, enum wt_memory (*ask)(void *ctx, uint32_t a, uint32_t b),
		    void *ctx, struct wt_sharers *ret);

#endif
