// SPDX-License-Identifier: MIT
#include "consumers/unwind/table_shares.h"

#include <stdio.h>
#include <stdlib.h>

#include "tracecore/base/diag.h"

void wt_table_shares_begin(struct wt_table_shares *shares, uint32_t own, uint64_t now)
{
	*shares = (struct wt_table_shares){.on = true, .own = own};
	wt_allowance_init(&shares->common, WT_TABLES_RATE, WT_TABLES_SAVED, WT_TABLE_BYTES_ALL, now);
	wt_subordinates_read(&shares->owners);
}

void wt_table_shares_deinit(struct wt_table_shares *shares)
{
	for (struct wt_table_share *next, *share = shares->list; share; share = next) {
		next = share->next;
		free(share);
	}
	shares->list = NULL;
	wt_idmap_deinit(&shares->by_uid);
	wt_subordinates_deinit(&shares->owners);
}

static void begin_share(struct wt_table_shares *shares, struct wt_table_share *share, uint32_t uid,
			uint64_t now)
{
	*share = (struct wt_table_share){.uid = uid};
	wt_allowance_init(&share->time, WT_TABLE_RATE, WT_TABLE_SAVED, WT_TABLE_BYTES_ONE, now);
	share->time.common = &shares->common;
}

static struct wt_table_share *add_share(struct wt_table_shares *shares, uint32_t uid, uint64_t now)
{
	struct wt_table_share *share = malloc(sizeof(*share));

	if (!share || !wt_idmap_add(&shares->by_uid, uid, share)) {
		free(share);
		if (!shares->rest.time.rate)
			begin_share(shares, &shares->rest, UINT32_MAX, now);
		return &shares->rest;
	}
	begin_share(shares, share, uid, now);
	share->next = shares->list;
	shares->list = share;
	return share;
}

struct wt_table_share *wt_table_share_of(struct wt_table_shares *shares, uint32_t uid, uint64_t now)
{
	struct wt_table_share *share;

	if (!shares->on || !uid || uid == shares->own)
		return NULL;
	uid = wt_subordinates_owner(&shares->owners, uid);
	share = wt_idmap_find(&shares->by_uid, uid);
	if (!share)
		share = add_share(shares, uid, now);
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
