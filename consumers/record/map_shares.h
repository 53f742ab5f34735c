/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What of the tables of mappings each user may fill, in sessions that meet processes of many
 * (tracecore/enable/ENABLE.md section 10).
 *
 * Root and the session's own user have no share: only the bound of everything holds for them. Of another
 * user's process WT_MAPPINGS_MOST executable mappings are kept; of one user as many bytes as are a sixth of
 * the identity's bound, of all others together half of it. An image counts for the user whose mapping was the
 * first of it. What is beyond it is left out, counted, and reported in diagnostics. One thread.
 */
#ifndef CONSUMERS_RECORD_MAP_SHARES_H
#define CONSUMERS_RECORD_MAP_SHARES_H

#include "consumers/record/user_shares.h"

/** Parts of the identity's bound that one user may fill, and all others together. */
#define WT_MAP_SHARE_OF_ONE 6
#define WT_MAP_SHARE_OF_ALL 2

struct wt_map_share {
	struct wt_user_share user; /**< left_out: mappings; a rundown stops at the first one of a process */
	struct wt_map_shares *all;
	uint64_t bytes; /**< of ranges and images */
};

/** Zeroed: nobody has a share, all are kept. */
struct wt_map_shares {
	struct wt_user_shares users;
	uint64_t most_one, most_all; /**< bytes */
	uint64_t bytes;              /**< of all shares */
};

/** From now on shares are counted. bound: the identity's, bytes. own: never has one, nor has root. */
void wt_map_shares_begin(struct wt_map_shares *shares, uint64_t bound, uint32_t own);
/** The user's share, made if new. NULL: needs none, or memory is out. */
struct wt_map_share *wt_map_shares_of(struct wt_map_shares *shares, uint32_t uid);
/** A user of that id would have no share, or one of nobody known. */
bool wt_map_shares_frees(const struct wt_map_shares *shares, uint32_t uid);
/** There is room for so many bytes more; NULL: always. */
bool wt_map_share_has(const struct wt_map_share *share, uint64_t bytes);
/** Names whoever had something left out that was not named yet: at first, whenever it is ten times as much,
 * and with `last` all there is. */
void wt_map_shares_tell(struct wt_map_shares *shares, bool last);
void wt_map_shares_deinit(struct wt_map_shares *shares);

/** So many bytes more; NULL: nothing happens. */
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
