// SPDX-License-Identifier: MIT
#include "consumers/record/user_shares.h"

#include <stdio.h>
#include <stdlib.h>

/* Factor by which a number must have grown to be reported again. */
#define TELL_AGAIN 10

void wt_user_shares_begin(struct wt_user_shares *shares, uint32_t own, size_t size)
{
	shares->on = true;
	shares->own = own;
	shares->size = size;
	wt_subordinates_read(&shares->owners);
}

bool wt_user_shares_frees(const struct wt_user_shares *shares, uint32_t uid)
{
	return !shares->on || !uid || uid == shares->own;
}

void *wt_user_shares_of(struct wt_user_shares *shares, uint32_t uid, bool *fresh)
{
	struct wt_user_share *share;

	*fresh = false;
	if (wt_user_shares_frees(shares, uid))
		return NULL;
	uid = wt_subordinates_owner(&shares->owners, uid);
	share = wt_idmap_find(&shares->by_uid, uid);
	if (share)
		return share;
	share = calloc(1, shares->size);
	if (!share || !wt_idmap_add(&shares->by_uid, uid, share)) {
		free(share);
		return NULL;
	}
	*share = (struct wt_user_share){.next = shares->list, .uid = uid};
	shares->list = share;
	*fresh = true;
	return share;
}

void wt_user_shares_deinit(struct wt_user_shares *shares)
{
	for (struct wt_user_share *next, *share = shares->list; share; share = next) {
		next = share->next;
		free(share);
	}
	wt_idmap_deinit(&shares->by_uid);
	wt_subordinates_deinit(&shares->owners);
	*shares = (struct wt_user_shares){0};
}

void wt_user_share_leave_out(struct wt_user_share *share, uint32_t pid)
{
	if (!share->left_out++)
		share->pid = pid;
}

bool wt_user_share_is_news(const struct wt_user_share *share, bool last)
{
	return share->left_out > share->reported && (last || share->left_out / TELL_AGAIN >= share->reported);
}

const char *wt_user_share_who(const struct wt_user_share *share, char text[32])
{
	if (share->uid == UINT32_MAX)
		return "a user nobody knows";
	snprintf(text, 32, "uid %u", share->uid);
	return text;
}
