// SPDX-License-Identifier: MIT
#include "consumers/unwind/table_shares.h"

#include "tracecore/base/diag.h"

void wt_table_shares_begin(struct wt_table_shares *shares, uint32_t own, uint64_t now)
{
	*shares = (struct wt_table_shares){.rest = {.user = {.uid = UINT32_MAX}}};
	wt_user_shares_begin(&shares->users, own, sizeof(struct wt_table_share));
	wt_allowance_init(&shares->common, WT_TABLES_RATE, WT_TABLES_SAVED, WT_TABLE_BYTES_ALL, now);
}

void wt_table_shares_deinit(struct wt_table_shares *shares)
{
	wt_user_shares_deinit(&shares->users);
}

struct wt_table_share *wt_table_share_of(struct wt_table_shares *shares, uint32_t uid, uint64_t now)
{
	struct wt_table_share *share;
	bool fresh;

	if (wt_user_shares_frees(&shares->users, uid))
		return NULL;
	share = wt_user_shares_of(&shares->users, uid, &fresh);
	if (!share) {
		share = &shares->rest;
		fresh = !share->time.rate;
	}
	if (fresh) {
		wt_allowance_init(&share->time, WT_TABLE_RATE, WT_TABLE_SAVED, WT_TABLE_BYTES_ONE, now);
		share->time.common = &shares->common;
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
	char who[32];

	if (!share)
		return;
	wt_allowance_spend(&share->time, ns);
	if (share->reported || !wt_allowance_is_spent(&share->time))
		return;
	share->reported = true;
	wt_warn("unwind tables of files that processes of %s map (the last: %.200s) take more time than one "
		"user has: "
		"they are made later, and stacks end in these files until then",
		wt_user_share_who(&share->user, who), path);
}
