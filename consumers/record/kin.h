/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The processes that may share one memory: those related by forks, where no program has begun since.
 *
 * A child made with CLONE_VM (vfork, posix_spawn, or for good) shares its parent's memory, and the kernel's
 * record of a fork does not say so. A mapping by one of them exists in the other, but the kernel reports it
 * for one only. So the forks are kept as a tree. When one of the processes maps something, the kernel is
 * asked (kcmp), once for each edge, because two memories that differ never become one. A process leaves the
 * tree when it begins a program or ends. Its children then go to its parent, or to the first of them where
 * it has no parent. Single-threaded.
 */
#ifndef CONSUMERS_RECORD_KIN_H
#define CONSUMERS_RECORD_KIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Processes of one memory that are found, beside the one that maps. */
#define WT_KIN_MOST 64

struct wt_process;

/** Stands in each process; zeroed: no relatives. */
struct wt_kin {
	struct wt_process *parent, *first, *prev, *next; /**< first: child; prev, next: siblings */
	bool same;                                       /**< its memory is surely the parent's */
	bool found;                                      /**< for wt_kin_rest */
};

/** How the memories of two processes compare, by the kernel's answer. */
enum wt_memory {
	WT_MEMORY_SAME,
	WT_MEMORY_OTHER,
	WT_MEMORY_UNKNOWN, /**< one has ended, or the kernel does not answer */
};

/** The relatives that may have the memory of the process. */
struct wt_sharers {
	uint32_t n;
	bool more; /**< there may be others that are not here */
	struct {
		struct wt_process *process;
		enum wt_memory memory; /**< WT_MEMORY_SAME, or _UNKNOWN */
	} of[WT_KIN_MOST];
};

/** Call when the child was forked by the parent, or may have been. */
void wt_kin_join(struct wt_process *parent, struct wt_process *child);
/** Call when the process begins another program, or has ended. */
void wt_kin_leave(struct wt_process *process);
/** True when there is a relative to ask about. */
static inline bool wt_kin_has(const struct wt_kin *kin)
{
	return kin->parent || kin->first;
}
/** Finds the processes that have, or may have, the process's memory. ask: asks the kernel about two pids. A
 * process that surely has another memory is left out and is no relative any more. */
void wt_kin_sharers(struct wt_process *process, enum wt_memory (*ask)(void *ctx, uint32_t a, uint32_t b),
		    void *ctx, struct wt_sharers *ret);
/** Calls fn for each relative of the process that is not among the sharers. fn must not change relations. */
void wt_kin_rest(struct wt_process *process, const struct wt_sharers *sharers,
		 void (*fn)(void *ctx, struct wt_process *process), void *ctx);

#endif
