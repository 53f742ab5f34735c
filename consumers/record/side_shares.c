// SPDX-License-Identifier: MIT
#include "consumers/record/side_shares.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tracecore/base/clock.h"
#include "tracecore/base/diag.h"
#include "tracecore/event.h"

static uint64_t saved(uint64_t rate)
{
	return rate * WT_SIDE_SAVED * WT_NSEC;
}

void wt_side_shares_begin(struct wt_side_shares *shares, uint32_t n_cpus, uint32_t own)
{
	shares->rate = (uint64_t)WT_SIDE_RATE * (n_cpus ? n_cpus : 1);
	shares->common = (struct wt_side_bucket){.left = saved(shares->rate * WT_SIDE_USERS)};
	wt_user_shares_begin(&shares->users, own, sizeof(struct wt_side_share));
}

/* Returns the user's share, made if new. NULL: the user needs none, or memory is out. */
static struct wt_side_share *share_of(struct wt_side_shares *shares, uint32_t uid, uint64_t time)
{
	bool fresh;
	struct wt_side_share *share = wt_user_shares_of(&shares->users, uid, &fresh);

	if (fresh)
		share->own = (struct wt_side_bucket){saved(shares->rate), time};
	return share;
}

static void fill(struct wt_side_bucket *bucket, uint64_t rate, uint64_t time)
{
	uint64_t since = time - bucket->filled, room = saved(rate) - bucket->left;

	if (time <= bucket->filled)
		return;
	bucket->filled = time;
	bucket->left += since >= room / rate ? room : since * rate;
}

static bool is_empty(const struct wt_side_bucket *bucket)
{
	return bucket->left < WT_NSEC;
}

bool wt_side_shares_take(struct wt_side_shares *shares, uint32_t uid, uint64_t time)
{
	struct wt_side_share *share = share_of(shares, uid, time);
	struct wt_side_bucket *common = &shares->common;

	if (!share)
		return true;
	fill(&share->own, shares->rate, time);
	fill(common, shares->rate * WT_SIDE_USERS, time);
	if (is_empty(&share->own) || (is_empty(common) && share->own.left <= saved(shares->rate) / 2))
		return false;
	share->own.left -= WT_NSEC;
	common->left -= is_empty(common) ? 0 : WT_NSEC;
	return true;
}

void wt_side_shares_leave_out(struct wt_side_shares *shares, uint32_t uid, uint32_t pid,
			      enum wt_side_kind kind, uint64_t time, bool is_missing)
{
	struct wt_side_share *share = share_of(shares, uid, time);
	struct wt_side_missing *missing;

	if (!share)
		return;
	wt_user_share_leave_out(&share->user, pid);
	if (!is_missing)
		return;
	missing = &share->missing[kind];
	missing->from = !missing->count || time < missing->from ? time : missing->from;
	missing->to = time > missing->to ? time : missing->to;
	missing->count++;
	shares->missing = true;
}

/* Names lost events with their user: "thread_name of uid 4242". */
static void lost_of(const struct wt_side_share *share, enum wt_side_kind kind, struct wt_lost_payload *ret,
		    char *text, size_t size)
{
	static const char *const providers[] = {"proc_thread", "loader"};
	static const char *const events[] = {"thread_name", "image_load"};
	const struct wt_side_missing *missing = &share->missing[kind];
	char name[32];

	snprintf(text, size, "%s of %s", events[kind], wt_user_share_who(&share->user, name));
	*ret = (struct wt_lost_payload){
		.provider = {providers[kind], (uint32_t)strlen(providers[kind])},
		.event = {text, (uint32_t)strlen(text)},
		.on_cpu = WT_CPU_NONE,
		.cause = WT_LOSS_SHARE,
		.count = missing->count,
		.exact = true,
		.from = missing->from,
		.to = missing->to,
	};
}

bool wt_side_shares_next(struct wt_side_shares *shares, struct wt_lost_payload *ret, char *text, size_t size)
{
	if (!shares->missing)
		return false;
	for (struct wt_user_share *user = shares->users.list; user; user = user->next) {
		struct wt_side_share *share = (struct wt_side_share *)user;

		for (int kind = 0; kind < WT_N_SIDE_KINDS; kind++)
			if (share->missing[kind].count) {
				lost_of(share, (enum wt_side_kind)kind, ret, text, size);
				share->missing[kind] = (struct wt_side_missing){0};
				return true;
			}
	}
	shares->missing = false;
	return false;
}

static void tell(const struct wt_side_shares *shares, struct wt_user_share *share)
{
	char name[32];

	wt_warn("processes of %s (the first: %u) map code and rename threads more often than a session "
		"follows for one user (%" PRIu64 " times a second): %" PRIu64
		" such events are left out, and addresses in these processes have no names until their "
		"mappings are read again",
		wt_user_share_who(share, name), share->pid, shares->rate, share->left_out);
	share->reported = share->left_out;
}

void wt_side_shares_tell(struct wt_side_shares *shares, bool last)
{
	for (struct wt_user_share *share = shares->users.list; share; share = share->next)
		if (wt_user_share_is_news(share, last))
			tell(shares, share);
}

void wt_side_shares_deinit(struct wt_side_shares *shares)
{
	wt_user_shares_deinit(&shares->users);
	*shares = (struct wt_side_shares){0};
}
