// SPDX-License-Identifier: MIT
#include "consumers/record/map_shares.h"

#include <inttypes.h>

#include "tracecore/base/diag.h"
#include "tracecore/kernel_events.h"

void wt_map_shares_begin(struct wt_map_shares *shares, uint64_t bound, uint32_t own)
{
	wt_user_shares_begin(&shares->users, own, sizeof(struct wt_map_share));
	shares->most_one = bound / WT_MAP_SHARE_OF_ONE;
	shares->most_all = bound / WT_MAP_SHARE_OF_ALL;
}

bool wt_map_shares_frees(const struct wt_map_shares *shares, uint32_t uid)
{
	return wt_user_shares_frees(&shares->users, uid) || uid == UINT32_MAX;
}

struct wt_map_share *wt_map_shares_of(struct wt_map_shares *shares, uint32_t uid)
{
	bool fresh;
	struct wt_map_share *share = wt_user_shares_of(&shares->users, uid, &fresh);

	if (fresh)
		share->all = shares;
	return share;
}

bool wt_map_share_has(const struct wt_map_share *share, uint64_t bytes)
{
	return !share || (share->bytes + bytes <= share->all->most_one &&
			  share->all->bytes + bytes <= share->all->most_all);
}

static void tell(const struct wt_map_shares *shares, struct wt_user_share *share)
{
	char who[32];

	wt_warn("processes of %s (the first: %u) have more executable mappings than a session keeps for one "
		"process (%u mappings) or user (%" PRIu64 " KiB): at least %" PRIu64
		" mappings are left out, addresses there have no names and stacks end there; record such a "
		"process alone, with --pid",
		wt_user_share_who(share, who), share->pid, WT_MAPPINGS_MOST, shares->most_one >> 10,
		share->left_out);
	share->reported = share->left_out;
}

void wt_map_shares_tell(struct wt_map_shares *shares, bool last)
{
	for (struct wt_user_share *share = shares->users.list; share; share = share->next)
		if (wt_user_share_is_news(share, last))
			tell(shares, share);
}

void wt_map_shares_deinit(struct wt_map_shares *shares)
{
	wt_user_shares_deinit(&shares->users);
	*shares = (struct wt_map_shares){0};
}
