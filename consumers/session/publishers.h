/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The children of a session that make and publish unwind tables for programs, with the rights of the
 * programs' user.
 *
 * That user can stop such a child, slow it down, or give it files that do not answer. Therefore each account
 * (tracecore/base/subordinates.h) has one child at a time, and the children of all other users together have
 * WT_PUBLISHERS places. Root and the session's own user have a place of their own. A child that waited too
 * long, or took too long, is ended, and its account rests: WT_PUBLISHER_REST, twice as long each time until
 * one has done its work. The time of the children is charged to their accounts. A child that SIGKILL does not
 * end is left behind (tracecore/base/stray.h): its account has no other one until it ends. One thread.
 */
#ifndef CONSUMERS_SESSION_PUBLISHERS_H
#define CONSUMERS_SESSION_PUBLISHERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "tracecore/base/user_times.h"

/** Number of children at a time for other users. */
enum { WT_PUBLISHERS = 4 };
/** The time that a child may wait (it is stopped, or a file does not answer), and may take in all; ns. */
#define WT_PUBLISHER_WAIT UINT64_C(3000000000)
#define WT_PUBLISHER_MOST UINT64_C(20000000000)
/** The same for a child of root or of the session's own user. */
#define WT_PUBLISHER_OWN_WAIT UINT64_C(10000000000)
#define WT_PUBLISHER_OWN_MOST UINT64_C(120000000000)
/** How long an account rests after its child had to be ended, ns; at most 64 times that. */
#define WT_PUBLISHER_REST UINT64_C(10000000000)
/** CPU time and time spent waiting, of one account and of all together: a second, and saved up; ns. */
#define WT_PUBLISHER_RATE   UINT64_C(100000000)
#define WT_PUBLISHER_SAVED  UINT64_C(10000000000)
#define WT_PUBLISHERS_RATE  UINT64_C(400000000)
#define WT_PUBLISHERS_SAVED UINT64_C(20000000000)

struct wt_publisher {
	pid_t pid; /**< 0: none runs */
	uint32_t account;
	uint64_t began, looked; /**< session clock */
	uint64_t waited;        /**< ns */
};

/** Zeroed is empty. */
struct wt_publishers {
	struct wt_user_times times; /**< of other users */
	struct wt_publisher list[WT_PUBLISHERS + 1];
	struct wt_publisher_rest {
		uint64_t until; /**< session clock */
		unsigned times;
	} rests[WT_USER_TIMES + 1];
};

/** True when some place is free. */
bool wt_publishers_have_place(const struct wt_publishers *publishers);
/** The time left to the account of the user, ns; 0: no child may be made for it now. */
int64_t wt_publishers_left(struct wt_publishers *publishers, uint32_t uid, uint64_t now);
/** A child was forked for that user, for whom time was left. */
void wt_publishers_add(struct wt_publishers *publishers, pid_t pid, uint32_t uid, uint64_t now);
/** Takes in the children that have ended, and ends those that got nowhere. Call it often: the time between
 * two calls counts as waiting when the child waits at the second one, but no more than a tenth of a second of
 * it. */
void wt_publishers_reap(struct wt_publishers *publishers, uint64_t now);
/** Ends all. A child of another process, which forked this one, is forgotten. */
void wt_publishers_end(struct wt_publishers *publishers);

#endif
