/* SPDX-License-Identifier: MIT */
/**
 * @file
 * One share of a common resource for each untrusted user (tracecore/enable/ENABLE.md section 10).
 *
 * Root and the session's own user have no share. Ids of a user's namespaces belong to that user. A share
 * keeps its address. The struct of a particular share begins with a struct wt_user_share. One thread.
 */
#ifndef CONSUMERS_RECORD_USER_SHARES_H
#define CONSUMERS_RECORD_USER_SHARES_H

#include <stdbool.h>

#include "consumers/record/idmap.h"
#include "tracecore/base/subordinates.h"

struct wt_user_share {
	struct wt_user_share *next; /**< of another user */
	uint32_t uid;               /**< the account's owner; UINT32_MAX: processes of unknown users */
	uint32_t pid;               /**< of the first process with something left out */
	uint64_t left_out;
	uint64_t reported; /**< number of these in diagnostics */
};

/** Zeroed: nobody has a share. */
struct wt_user_shares {
	bool on;
	uint32_t own; /**< the session's user */
	size_t size;  /**< bytes of one share, with the part behind struct wt_user_share */
	struct wt_subordinates owners;
	struct wt_idmap by_uid;
	struct wt_user_share *list; /**< owned */
};

/** From now on there are shares. own: this user and root never have a share. */
void wt_user_shares_begin(struct wt_user_shares *shares, uint32_t own, size_t size);
/** True when a user of that id has no share. */
bool wt_user_shares_frees(const struct wt_user_shares *shares, uint32_t uid);
/** Returns the user's share; a new one is zeroed, and *fresh is set. NULL: the user needs none, or memory is
 * out. */
void *wt_user_shares_of(struct wt_user_shares *shares, uint32_t uid, bool *fresh);
void wt_user_shares_deinit(struct wt_user_shares *shares);

/** Counts something of the process as left out. */
void wt_user_share_leave_out(struct wt_user_share *share, uint32_t pid);
/** True when the number left out is to be reported: the first time, each time it has grown tenfold, and
 * always with `last`. */
bool wt_user_share_is_news(const struct wt_user_share *share, bool last);
/** Returns "uid 1000"; uses text for it where necessary. */
const char *wt_user_share_who(const struct wt_user_share *share, char text[32]);

#endif
