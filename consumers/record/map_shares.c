// SPDX-License-Identifier: MIT
#include "consumers/record/map_shares.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tracecore/base/diag.h"
#include "tracecore/kernel_events.h"

/* What was told is told again when it is so many times as much. */
#define TELL_AGAIN 10

void wt_map_shares_begin(struct wt_map_shares *shares, uint64_t bound, uint32_t own)
{
	shares->on = true;
	shares->own = own;
	wt_subordinates_read(&shares->owners);
	shares->most_one = bound / WT_MAP_SHARE_OF_ONE;
	shares->most_all = bound / WT_MAP_SHARE_OF_ALL;
}

static bool needs_none(const struct wt_map_shares *shares, uint32_t uid)
{
	return !shares->on || !uid || uid == shares->own;
}

bool wt_map_shares_frees(const struct wt_map_shares *shares, uint32_t uid)
{
	return needs_none(shares, uid) || uid == UINT32_MAX;
}

struct wt_map_share *wt_map_shares_of(struct wt_map_shares *shares, uint32_t uid)
{
	struct wt_map_share *share;

	if (needs_none(shares, uid))
		return NULL;
	uid = wt_subordinates_owner(&shares->owners, uid);
	share = wt_idmap_find(&shares->by_uid, uid);
	if (share)
		return share;
	share = calloc(1, sizeof(*share));
	if (!share || !wt_idmap_add(&shares->by_uid, uid, share)) {
		free(share);
		return NULL;
	}
	*share = (struct wt_map_share){.all = shares, .next = shares->list, .uid = uid};
	shares->list = share;
	return share;
}

bool wt_map_share_has(const struct wt_map_share *share, uint64_t bytes)
{
	return !share || (share->bytes + bytes <= share->all->most_one &&
			  share->all->bytes + bytes <= share->all->most_all);
}

void wt_map_share_leave_out(struct wt_map_share *share, uint32_t pid)
{
	if (!share->left_out++)
		share->pid = pid;
}

static void tell(struct wt_map_share *share)
{
	char who[32] = "a user nobody knows";

	if (share->uid != UINT32_MAX)
		snprintf(who, sizeof(who), "uid %u", share->uid);
	wt_warn("processes of %s (the first: %u) map more executable memory than is kept of one "
		"process (%u mappings) or user (%" PRIu64 " KiB): at least %" PRIu64
		" mappings are left out, "
		"addresses there have no names and stacks end there; record such a process alone, with --pid",
		who, share->pid, WT_MAPPINGS_MOST, share->all->most_one >> 10, share->left_out);
	share->told = share->left_out;
}

void wt_map_shares_tell(struct wt_map_shares *shares, bool last)
{
	for (struct wt_map_share *share = shares->list; share; share = share->next) {
		if (share->left_out > share->told && (last || share->left_out / TELL_AGAIN >= share->told))
			tell(share);
	}
}

void wt_map_shares_deinit(struct wt_map_shares *shares)
{
	for (struct wt_map_share *next, *share = shares->list; share; share = next) {
		next = share->next;
		free(share);
	}
	wt_idmap_deinit(&shares->by_uid);
	wt_subordinates_deinit(&shares->owners);
	*shares = (struct wt_map_shares){0};
}
