/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Finds the user whose processes change their user ids faster than a session can follow, to keep it busy.
 *
 * Reports are counted by user, second by second. The number of counts is bounded: with many users they are
 * lower bounds, and a user who caused more than one in WT_UID_FLOOD_USERS of all reports has a count. One
 * thread.
 */
#ifndef CONSUMERS_SESSION_UID_FLOOD_H
#define CONSUMERS_SESSION_UID_FLOOD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/** Reports a second that are followed, of all users. */
#define WT_UID_FLOOD_MOST  20000u
#define WT_UID_FLOOD_USERS 32u

/** Zeroed is valid. */
struct wt_uid_flood {
	uint64_t from; /**< session clock: n reports since then */
	uint32_t n;
	struct wt_uid_count {
		uid_t uid;
		uint32_t n; /**< lower bound; 0: the count is free */
	} users[WT_UID_FLOOD_USERS];
};

/** Counts a report of that user at `now`. Returns true when there were too many within a second. */
bool wt_uid_flood_add(struct wt_uid_flood *flood, uid_t uid, uint64_t now);
/** Returns the user with the largest count; NULL: none stands out. */
const struct wt_uid_count *wt_uid_flood_largest(const struct wt_uid_flood *flood);

#endif
