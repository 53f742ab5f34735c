/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Whose processes are, in the course of time: what the kernel tells when a process takes other user ids.
 *
 * The news come on a way of their own, before or behind the events of the same time: they wait here until the
 * events have come that far. A child has its parent's ids at the moment of the fork. One thread.
 */
#ifndef CONSUMERS_RECORD_OWNERS_H
#define CONSUMERS_RECORD_OWNERS_H

#include "consumers/record/tasks.h"

/** More than a round lets anybody send (consumers/session/uid_flood.h). */
#define WT_OWNERS_WAITING 65536u

/** Zeroed is valid. */
struct wt_owners {
	struct wt_owner_news {
		uint64_t time; /**< session clock */
		uint32_t pid, uid, euid;
	} * waiting; /**< owned; a ring, in the order in which they came; NULL: none came yet */
	uint32_t first, n;
};

/** From that time on the process has these ids. False: there is no room, the news is lost. What waits is
 * never taken before its time: its process may not be known yet. */
bool wt_owners_note(struct wt_owners *owners, const struct wt_owner_news *news);
/** Takes the news up to a time. */
void wt_owners_settle_some(struct wt_owners *owners, struct wt_tasks *tasks, uint64_t until);
static inline void wt_owners_settle(struct wt_owners *owners, struct wt_tasks *tasks, uint64_t until)
{
	if (owners->n && owners->waiting[owners->first].time <= until)
		wt_owners_settle_some(owners, tasks, until);
}
void wt_owners_deinit(struct wt_owners *owners);

#endif
