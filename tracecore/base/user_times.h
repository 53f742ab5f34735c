/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The CPU time that may be used for each untrusted user, and for all of them together.
 *
 * Root and the caller's own user have no limit (NULL, which means a trusted user in allowance.h). Ids of a
 * user's namespaces belong to that user's account. One thread.
 */
#ifndef TRACECORE_BASE_USER_TIMES_H
#define TRACECORE_BASE_USER_TIMES_H

#include "tracecore/base/allowance.h"
#include "tracecore/base/subordinates.h"

/** The number of users that are told apart. Further users share the last one's account. */
#define WT_USER_TIMES 64

struct wt_user_times {
	struct wt_user_time {
		uint32_t uid;
		bool reported; /**< free for the caller */
		struct wt_allowance allowance;
	} users[WT_USER_TIMES];
	size_t n_users;
	uint64_t rate, most;
	struct wt_allowance common;
	struct wt_subordinates owners;
};

/** For one user and for all together: rate, CPU time per second; most, CPU time saved up; ns. */
void wt_user_times_init(struct wt_user_times *ret, uint64_t rate, uint64_t most, uint64_t all_rate,
			uint64_t all_most);
void wt_user_times_deinit(struct wt_user_times *times);
/** The user's account, made if new and brought up to date. NULL: the user needs none. */
struct wt_user_time *wt_user_times_of(struct wt_user_times *times, uint32_t uid);
/** True when nothing is left for the user; or when nothing is left for all users together and this user has
 * less than half of its own time saved up. So a quiet user is served, however many users there are. */
bool wt_user_time_is_spent(const struct wt_user_time *time);

#endif
