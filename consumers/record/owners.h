/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The owners of processes over time, from the kernel's reports of processes that change their user ids.
 *
 * The reports come through a separate channel, before or after the events of equal time. They wait here
 * until the events have reached their time. A child has its parent's ids at the moment of the fork. One
 * thread.
 */
#ifndef CONSUMERS_RECORD_OWNERS_H
#define CONSUMERS_RECORD_OWNERS_H

#include "consumers/record/tasks.h"

/** More than a session lets any user send in one round (consumers/session/uid_flood.h). */
#define WT_OWNERS_WAITING 65536u

/** Zeroed is valid. */
struct wt_owners {
	struct wt_owner_news {
		uint64_t time; /**< session clock */
		uint32_t pid, uid, euid;
	} * waiting; /**< owned; a ring, in order of arrival; NULL: none came yet */
	uint32_t first, n;
};

/** Notes that the process has these ids from that time on. False: there is no room, and the report is lost. A
 * report is never applied before its time, because its process may not be known yet. */
bool wt_owners_note(struct wt_owners *owners, const struct wt_owner_news *news);
/** Applies the reports up to a time. */
void wt_owners_settle_some(struct wt_owners *owners, struct wt_tasks *tasks, uint64_t until);
static inline void wt_owners_settle(struct wt_owners *owners, struct wt_tasks *tasks, uint64_t until)
{
	if (owners->n && owners->waiting[owners->first].time <= until)
		wt_owners_settle_some(owners, tasks, until);
}
void wt_owners_deinit(struct wt_owners *owners);

#endif
