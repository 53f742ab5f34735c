/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The time for which `stop` may look for names in each user's files (tracecore/enable/ENABLE.md section 10).
 *
 * Files of root and of the session's own user are looked into as long as it takes. Files of each other user
 * are charged to that user: a file of millions of symbols takes a third of a second, and anybody can map a
 * hundred of them. Beyond that time names are missing in the log; `view` looks for them where the files are.
 * One thread.
 */
#ifndef CONSUMERS_SYMBOLS_NAME_SHARES_H
#define CONSUMERS_SYMBOLS_NAME_SHARES_H

#include <stdbool.h>
#include <stdint.h>

/** Of one user, and of all of them together; ns. */
#define WT_NAMES_TIME     UINT64_C(250000000)
#define WT_NAMES_TIME_ALL UINT64_C(500000000)
/** Larger files of theirs are left alone: looking into one cannot be stopped. Bytes. */
#define WT_NAMES_FILE (UINT64_C(256) << 20)
/** Users that are distinguished; the others share the last one's. */
#define WT_NAMES_USERS 64

/** Zeroed: nobody has a share. */
struct wt_name_shares {
	bool on;
	uint32_t own;
	uint64_t used; /**< of all, ns */
	struct wt_name_share {
		uint32_t uid; /**< UINT32_MAX: of files that are not there any more */
		uint64_t used;
		uint32_t left_out; /**< times that a file was; one may be wanted often */
	} users[WT_NAMES_USERS];
	uint32_t n;
};

/** From now on there are shares. own: the session's user. */
void wt_name_shares_begin(struct wt_name_shares *shares, uint32_t own);
/** Finds the share of the file's owner, whom stat(2) gave; uid UINT32_MAX: stat failed. False, counted: the
 * file must not be read. *share is NULL when the owner needs none. */
bool wt_name_shares_allow_file(struct wt_name_shares *shares, uint32_t uid, uint64_t size,
			       struct wt_name_share **share);
/** The user's share, NULL: needs none. */
struct wt_name_share *wt_name_shares_of(struct wt_name_shares *shares, uint32_t uid);
/** Nothing is left of it, or of all of them; NULL: there is. */
bool wt_name_share_is_spent(const struct wt_name_shares *shares, const struct wt_name_share *share);
/** Charges the share with a look that took ns; NULL: nothing happens. */
void wt_name_share_spend(struct wt_name_shares *shares, struct wt_name_share *share, uint64_t ns);
/** Names whose files were left out. */
void wt_name_shares_tell(const struct wt_name_shares *shares);

#endif
