/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Who makes the kernel tell of user ids faster than a session follows, to make it busy.
 *
 * News are counted by user, second by second. The counts are bounded: where there are many users they are
 * lower bounds, and who caused more than one in WT_UID_FLOOD_USERS of all news has one. One thread.
 */
#ifndef CONSUMERS_SESSION_UID_FLOOD_H
#define CONSUMERS_SESSION_UID_FLOOD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/** News that are followed, of all users: so many a second. */
#define WT_UID_FLOOD_MOST  20000u
#define WT_UID_FLOOD_USERS 32u

/** Zeroed is valid. */
struct wt_uid_flood {
	uint64_t from; /**< session clock: since then n of them */
	uint32_t n;
	struct wt_uid_count {
		uid_t uid;
		uint32_t n; /**< at least; 0: nobody's */
	} users[WT_UID_FLOOD_USERS];
};

/** One of that user's now. True: they were too many within a second. */
bool wt_uid_flood_add(struct wt_uid_flood *flood, uid_t uid, uint64_t now);
/** Who caused the most of those that were counted; NULL: nobody in particular. */
const struct wt_uid_count *wt_uid_flood_largest(const struct wt_uid_flood *flood);

#endif
