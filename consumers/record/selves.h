/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The recorder's own processes: the recording process, its keeper, and children of the former, such as
 * builders of unwind tables. Their events are marked.
 */
#ifndef CONSUMERS_RECORD_SELVES_H
#define CONSUMERS_RECORD_SELVES_H

#include <stdbool.h>
#include <stdint.h>

/** Number of children at one time; further ones are not marked. */
#define WT_SELVES_CHILDREN 14

struct wt_selves {
	uint32_t pid, keeper; /**< 0: none */
	uint32_t children[WT_SELVES_CHILDREN], n;
};

static inline bool wt_selves_has(const struct wt_selves *selves, uint32_t pid)
{
	if (!pid)
		return false;
	for (uint32_t i = 0; i < selves->n; i++)
		if (selves->children[i] == pid)
			return true;
	return pid == selves->pid || pid == selves->keeper;
}

/** A process ends. */
static inline void wt_selves_ended(struct wt_selves *selves, uint32_t pid)
{
	for (uint32_t i = 0; i < selves->n; i++)
		if (selves->children[i] == pid)
			selves->children[i--] = selves->children[--selves->n];
}

/** Call when a process begins, or has begun before. */
static inline void wt_selves_began(struct wt_selves *selves, uint32_t pid, uint32_t parent)
{
	wt_selves_ended(selves, pid);
	if (selves->pid && parent == selves->pid && pid != parent && selves->n < WT_SELVES_CHILDREN)
		selves->children[selves->n++] = pid;
}

#endif
