/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What each user whose programs root's session reaches may cost it.
 *
 * An account is a user with the subordinate ids that /etc/subuid gives that user: whoever owns ids has one
 * account for all of them. Each has an allowance, and all together have one; the session's own user has none
 * and needs none. What is beyond it waits or is left out, is counted, and is reported in lines of status. One
 * thread.
 */
#ifndef CONSUMERS_SESSION_ACCOUNTS_H
#define CONSUMERS_SESSION_ACCOUNTS_H

#include <sys/types.h>

#include "consumers/record/subordinates.h"
#include "tracecore/base/allowance.h"

/** CPU time a second for one account and for all, ns; what of it is saved up. What a round costs on
 * somebody's account without being found there makes it 5 % of a CPU. */
#define WT_ACCOUNT_RATE  UINT64_C(35000000)
#define WT_ACCOUNT_MOST  UINT64_C(100000000)
#define WT_ACCOUNTS_RATE UINT64_C(200000000)
#define WT_ACCOUNTS_MOST UINT64_C(300000000)
/** What each has at the end, whatever it used before, ns. */
#define WT_ACCOUNT_LAST UINT64_C(250000000)
/** Memory for what is read of one account and of all, bytes. */
#define WT_ACCOUNT_BYTES  (UINT64_C(64) << 20)
#define WT_ACCOUNTS_BYTES (UINT64_C(256) << 20)
/** State records of one directory that are taken at a time. */
#define WT_ACCOUNT_STATES 4096u
/** Directories of one account that are looked at. */
#define WT_ACCOUNT_DIRECTORIES 64u

struct wt_account {
	uid_t owner; /**< or the first of ids that belong to nobody known */
	uint32_t directories;
	bool told_directories; /**< said that there are too many */
	struct wt_allowance allowance;
};

/** Zeroed is empty; init before use. */
struct wt_accounts {
	struct wt_account **list; /**< owned; they stay where they are */
	size_t n;
	struct wt_subordinates subordinates;
	struct wt_allowance common;
};

/** Reads /etc/subuid; without it every id stands for itself. */
void wt_accounts_init(struct wt_accounts *ret, uint64_t now);
/** The account the id belongs to, made if new; NULL: no memory. */
struct wt_account *wt_accounts_of(struct wt_accounts *accounts, uid_t uid);
/** What came back to all by now. */
void wt_accounts_fill(struct wt_accounts *accounts, uint64_t now);
/** For the last look: see WT_ACCOUNT_LAST. */
void wt_accounts_grant(struct wt_accounts *accounts);
/** Nothing more for anybody. */
void wt_accounts_close(struct wt_accounts *accounts);
void wt_accounts_deinit(struct wt_accounts *accounts);

/** One more state record of a directory of which *taken were taken since wt_allowance_begin; false: the rest
 * of the directory's is beyond the user's share, which is counted. What records cost is measured from there,
 * and by nothing else: they are in no ring. */
bool wt_account_takes_state(struct wt_allowance *allowance, uint32_t *taken);

#endif
