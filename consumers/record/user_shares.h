/* SPDX-License-Identifier: MIT */
/**
 * @file
 * One share for each user who is not trusted, of whatever is shared (tracecore/enable/ENABLE.md section 10).
 *
 * Root and the session's own user have none. Ids of a user's namespaces are that user's. A share stays where
 * it is. What the shares are of begins its struct with a struct wt_user_share. One thread.
 */
#ifndef CONSUMERS_RECORD_USER_SHARES_H
#define CONSUMERS_RECORD_USER_SHARES_H

#include <stdbool.h>

#include "consumers/record/idmap.h"
#include "consumers/record/subordinates.h"

struct wt_user_share {
	struct wt_user_share *next; /**< of another user */
	uint32_t uid; /**< the account's owner; UINT32_MAX: processes nobody knows the user of */
	uint32_t pid; /**< of the first process of which something was left out */
	uint64_t left_out;
	uint64_t reported; /**< of these, in diagnostics */
};

/** Zeroed: nobody has a share. */
struct wt_user_shares {
	bool on;
	uint32_t own; /**< the session's user */
	size_t size;  /**< of one share, with what is behind its beginning */
	struct wt_subordinates owners;
	struct wt_idmap by_uid;
	struct wt_user_share *list; /**< owned */
};

/** From now on there are shares. own: never has one, nor has root. */
void wt_user_shares_begin(struct wt_user_shares *shares, uint32_t own, size_t size);
/** A user of that id has no share. */
bool wt_user_shares_frees(const struct wt_user_shares *shares, uint32_t uid);
/** The user's share; a new one is zeroed, and *fresh set. NULL: needs none, or memory is out. */
void *wt_user_shares_of(struct wt_user_shares *shares, uint32_t uid, bool *fresh);
void wt_user_shares_deinit(struct wt_user_shares *shares);

/** Something of the process was left out. */
void wt_user_share_leave_out(struct wt_user_share *share, uint32_t pid);
/** What was left out is to be reported: at first, whenever it is ten times as much, and with `last` all. */
bool wt_user_share_is_news(const struct wt_user_share *share, bool last);
/** "uid 1000"; puts it into text when it has to. */
const char *wt_user_share_who(const struct wt_user_share *share, char text[32]);

#endif
