/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The cost that each user may cause to root's session by that user's programs.
 *
 * An account is a user with the subordinate ids that /etc/subuid gives that user: one account for all ids of
 * one owner. Each account has an allowance, and all together have another; the session's own user has none
 * and needs none. Events and files beyond the allowance wait or are left out, are counted, and are reported
 * in lines of status. One thread.
 */
#ifndef CONSUMERS_SESSION_ACCOUNTS_H
#define CONSUMERS_SESSION_ACCOUNTS_H

#include <sys/types.h>

#include "tracecore/base/subordinates.h"
#include "tracecore/base/allowance.h"

/** CPU time a second for one account and for all, ns; and the most of it that is saved up. A round also has
 * costs that cannot be assigned to an account; with them an account takes 5 % of a CPU. */
#define WT_ACCOUNT_RATE  UINT64_C(35000000)
#define WT_ACCOUNT_MOST  UINT64_C(100000000)
#define WT_ACCOUNTS_RATE UINT64_C(200000000)
#define WT_ACCOUNTS_MOST UINT64_C(300000000)
/** CPU time that each account has at the end, whatever it used before, ns. */
#define WT_ACCOUNT_LAST UINT64_C(250000000)
/** Memory for data read from one account and from all, bytes. */
#define WT_ACCOUNT_BYTES  (UINT64_C(64) << 20)
#define WT_ACCOUNTS_BYTES (UINT64_C(256) << 20)
/** State records of one directory that are taken in one pass. */
#define WT_ACCOUNT_STATES 4096u
/** Most directories of one account that are looked at. */
#define WT_ACCOUNT_DIRECTORIES 64u

struct wt_account {
	uid_t owner; /**< the user, or the first of ids whose owner is unknown */
	uint32_t directories;
	bool told_directories; /**< the warning about too many directories was given */
	struct wt_allowance allowance;
};

/** Zeroed is empty; init before use. */
struct wt_accounts {
	struct wt_account **list; /**< owned; the accounts keep their addresses */
	size_t n;
	struct wt_subordinates subordinates;
	struct wt_allowance common;
};

/** Reads /etc/subuid; without that file every id is an account of its own. */
void wt_accounts_init(struct wt_accounts *ret, uint64_t now);
/** Returns the account the id belongs to, made if new; NULL: no memory. */
struct wt_account *wt_accounts_of(struct wt_accounts *accounts, uid_t uid);
/** Fills the common allowance up to now. */
void wt_accounts_fill(struct wt_accounts *accounts, uint64_t now);
/** Grants every account WT_ACCOUNT_LAST for the last look. */
void wt_accounts_grant(struct wt_accounts *accounts);
/** Ends all allowances: nothing more is taken from any account. */
void wt_accounts_close(struct wt_accounts *accounts);
void wt_accounts_deinit(struct wt_accounts *accounts);

/** Takes one more state record of a directory of which *taken were taken since wt_allowance_begin. False: the
 * rest of the directory is beyond the user's share, which is counted. The cost of records is measured only
 * from wt_allowance_begin on, because they are in no ring. */
bool wt_account_takes_state(struct wt_allowance *allowance, uint32_t *taken);

#endif
