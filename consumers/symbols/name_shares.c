// SPDX-License-Identifier: MIT
#include "consumers/symbols/name_shares.h"

#include <stdio.h>

#include "tracecore/base/diag.h"

void wt_name_shares_begin(struct wt_name_shares *shares, uint32_t own)
{
	*shares = (struct wt_name_shares){.on = true, .own = own};
}

struct wt_name_share *wt_name_shares_of(struct wt_name_shares *shares, uint32_t uid)
{
	uint32_t i = 0;

	if (!shares->on || !uid || uid == shares->own)
		return NULL;
	while (i < shares->n && shares->users[i].uid != uid)
		i++;
	if (i == WT_NAMES_USERS)
		return &shares->users[i - 1];
	if (i == shares->n)
		shares->users[shares->n++] = (struct wt_name_share){.uid = uid};
	return &shares->users[i];
}

bool wt_name_share_is_spent(const struct wt_name_shares *shares, const struct wt_name_share *share)
{
	return share && (share->used >= WT_NAMES_TIME || shares->used >= WT_NAMES_TIME_ALL);
}

bool wt_name_shares_allow_file(struct wt_name_shares *shares, uint32_t uid, uint64_t size,
			       struct wt_name_share **share)
{
	*share = wt_name_shares_of(shares, uid);
	if (!*share || (!wt_name_share_is_spent(shares, *share) && size <= WT_NAMES_FILE))
		return true;
	(*share)->left_out++;
	return false;
}

void wt_name_share_spend(struct wt_name_shares *shares, struct wt_name_share *share, uint64_t ns)
{
	if (!share)
		return;
	share->used += ns;
	shares->used += ns;
}

void wt_name_shares_tell(const struct wt_name_shares *shares)
{
	for (uint32_t i = 0; i < shares->n; i++) {
		const struct wt_name_share *share = &shares->users[i];
		char who[32] = "of nobody known";

		if (!share->left_out)
			continue;
		if (share->uid != UINT32_MAX)
			snprintf(who, sizeof(who), "of uid %u", share->uid);
		wt_warn("files %s were not searched for names, %u times: that would take longer than one "
			"user's share of time at the end of a session; view takes their names from these "
			"files as long as they exist",
			who, share->left_out);
	}
}
