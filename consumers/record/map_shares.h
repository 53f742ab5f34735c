/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Each user's share of the tables of mappings, in sessions that meet processes of many users
 * (tracecore/enable/ENABLE.md section 10).
 *
 * Root and the session's own user have no share; only the bound of all tables limits them. Of a process of
 * another user, WT_MAPPINGS_MOST executable mappings are kept. One such user may fill a sixth of the
 * identity's bound, all of them together half of it. An image counts for the user who mapped it first.
 * Mappings beyond a share are left out, counted, and reported in diagnostics. One thread.
 */
#ifndef CONSUMERS_RECORD_MAP_SHARES_H
#define CONSUMERS_RECORD_MAP_SHARES_H

#include "consumers/record/user_shares.h"

/** One user may fill the bound divided by the first number, all other users together the bound divided by the
 * second. */
#define WT_MAP_SHARE_OF_ONE 6
#define WT_MAP_SHARE_OF_ALL 2

struct wt_map_share {
	struct wt_user_share user; /**< left_out: mappings; a rundown stops at the first one of a process */
	struct wt_map_shares *all;
	uint64_t bytes; /**< of ranges and images */
};

/** Zeroed: nobody has a share, and all mappings are kept. */
struct wt_map_shares {
	struct wt_user_shares users;
	uint64_t most_one, most_all; /**< bytes */
	uint64_t bytes;              /**< of all shares */
};

/** From now on shares are counted. bound: the identity's, bytes. own: this user and root never have a share.
 */
void wt_map_shares_begin(struct wt_map_shares *shares, uint64_t bound, uint32_t own);
/** Returns the user's share, made if new. NULL: the user needs none, or memory is out. */
struct wt_map_share *wt_map_shares_of(struct wt_map_shares *shares, uint32_t uid);
/** True when a user of that id would have no share, or the share of unknown users. */
bool wt_map_shares_frees(const struct wt_map_shares *shares, uint32_t uid);
/** True when the share has room for that many more bytes; NULL: always. */
bool wt_map_share_has(const struct wt_map_share *share, uint64_t bytes);
/** Names each user with newly left out mappings: the first time, then each time the number has grown tenfold,
 * and with `last` all. */
void wt_map_shares_tell(struct wt_map_shares *shares, bool last);
void wt_map_shares_deinit(struct wt_map_shares *shares);

/** Adds that many bytes to the share; NULL: nothing happens. */
static inline void wt_map_share_add(struct wt_map_share *share, uint64_t bytes)
{
	if (!share)
		return;
	share->bytes += bytes;
	share->all->bytes += bytes;
}
/** So many fewer. */
static inline void wt_map_share_remove(struct wt_map_share *share, uint64_t bytes)
{
	if (!share)
		return;
	share->bytes -= bytes;
	share->all->bytes -= bytes;
}

#endif
