// SPDX-License-Identifier: MIT
#include "consumers/unwind/table_shares.h"

#include <stdio.h>

#include "tracecore/base/diag.h"

void wt_table_shares_begin(struct wt_table_shares *shares, uint32_t own, uint64_t now)
{
	*shares = (struct wt_table_shares){.on = true, .own = own};
	wt_allowance_init(&shares->common, WT_TABLES_RATE, WT_TABLES_SAVED, 0, now);
	wt_subordinates_read(&shares->owners);
}

void wt_table_shares_deinit(struct wt_table_shares *shares)
{
	wt_subordinates_deinit(&shares->owners);
}

struct wt_table_share *wt_table_share_of(struct wt_table_shares *shares, uint32_t uid, uint64_t now)
{
	struct wt_table_share *share;
	uint32_t i = 0;

	if (!shares->on || !uid || uid == shares->own)
		return NULL;
	uid = wt_subordinates_owner(&shares->owners, uid);
	while (i < shares->n && shares->users[i].uid != uid)
		i++;
	if (i == WT_TABLE_USERS)
		i--;
	share = &shares->users[i];
	if (i == shares->n) {
		*share = (struct wt_table_share){.uid = uid};
		wt_allowance_init(&share->time, WT_TABLE_RATE, WT_TABLE_SAVED, 0, now);
		share->time.common = &shares->common;
		shares->n++;
	}
	wt_allowance_fill(&shares->common, now);
	wt_allowance_fill(&share->time, now);
	return share;
}

bool wt_table_share_is_spent(struct wt_table_share *share)
{
	return share && wt_allowance_is_spent(&share->time);
}

void wt_table_share_spend(struct wt_table_share *share, uint64_t ns, const char *path)
{
	char who[32] = "a user nobody knows";

	if (!share)
		return;
	wt_allowance_spend(&share->time, ns);
	if (share->told || !wt_allowance_is_spent(&share->time))
		return;
	share->told = true;
	if (share->uid != UINT32_MAX)
		snprintf(who, sizeof(who), "uid %u", share->uid);
	wt_warn("unwind tables of files that processes of %s map (the last: %.200s) take more time than one "
		"user has: "
		"they are made later, and stacks end in these files until then",
		who, path);
}
