/* SPDX-License-Identifier: MIT */
/**
 * @file
 * How long `stop` may look for names in each user's files (tracecore/enable/ENABLE.md section 10).
 *
 * Files of root and of the session's own user are looked into as long as it takes. Of each other user, who a
 * file belongs to is who pays: a file of millions of symbols takes a third of a second, and anybody can map a
 * hundred of them. What is beyond it has no names in the log; `view` looks for them where the files are. One
 * thread.
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
		uint32_t left_out; /**< files */
	} users[WT_NAMES_USERS];
	uint32_t n;
};

/** From now on there are shares. own: the session's user. */
void wt_name_shares_begin(struct wt_name_shares *shares, uint32_t own);
/** Whose file lies at the path (zero-ended), and what is left: false, counted, when it is not to be looked
 * into. *share is NULL when its user needs none. */
bool wt_name_shares_allow(struct wt_name_shares *shares, const char *path, struct wt_name_share **share);
/** Decides as wt_name_shares_allow by what stat(2) said of the file; uid UINT32_MAX: it said nothing. */
bool wt_name_shares_allow_file(struct wt_name_shares *shares, uint32_t uid, uint64_t size,
			       struct wt_name_share **share);
/** The user's share, NULL: needs none. */
struct wt_name_share *wt_name_shares_of(struct wt_name_shares *shares, uint32_t uid);
/** Nothing is left of it, or of all of them; NULL: there is. */
bool wt_name_share_is_spent(const struct wt_name_shares *shares, const struct wt_name_share *share);
/** Looking took ns; NULL: nothing happens. */
void wt_name_share_spend(struct wt_name_shares *shares, struct wt_name_share *share, uint64_t ns);
/** Names whose files were left out. */
void wt_name_shares_tell(const struct wt_name_shares *shares);

#endif
