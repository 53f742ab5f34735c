// SPDX-License-Identifier: MIT
/* What a running session does with folders round by round: looks, tells, sleeps. */
#include <unistd.h>

#include "tools/session/registry.h"
#include "tools/session/user_impl.h"
#include "tracecore/base/diag.h"

/* Providers are looked for this often where nothing tells of them. */
#define SCAN_NS WT_NSEC
/* How long to sleep when nobody writes, and between rounds while somebody does, ms: a burst that begins
 * meanwhile has to find room. */
#define SLEEP_IDLE  50
#define SLEEP_MOST  5
#define SLEEP_LEAST 1
/* Shares of a ring in use, thousandths: more than HIGH and rounds come closer together, less than LOW farther
 * apart. Above ROOM writers need room soon. */
#define SHARE_HIGH 125
#define SHARE_LOW  30
#define SHARE_ROOM 125
/* News of somebody who is not trusted wakes nobody more often than this. */
#define WAKE_NS (WT_NSEC / 50)

/* One that makes trouble costs only itself. */
static void take_in(struct wt_user *user, size_t from)
{
	struct wt_err err = WT_ERR_INIT;

	for (size_t i = from; i < user->n_folders; i++)
		if ((wt_user_begin_folder(user->folders[i], &err) &&
		     wt_user_bear(user->folders[i], "events of its programs are left out", &err)) ||
		    (wt_user_publish(user->folders[i], &err) &&
		     wt_user_bear(user->folders[i], "its programs are not asked for all events", &err)))
			wt_warn("programs of uid %u: %s", user->folders[i]->uid, err.text);
}

/* Folders of users whose programs registered for the first time. */
static void look_for_folders(struct wt_user *user)
{
	size_t before = user->n_folders;
	struct wt_err err = WT_ERR_INIT;

	if (geteuid() != 0 || user->alone)
		return;
	if (wt_registry_more_folders(&user->walk, wt_user_open_folder, user, &err))
		wt_warn("programs of another user: %s", err.text);
	take_in(user, before);
}

void wt_user_look_last(struct wt_user *user)
{
	if (user->walk)
		closedir(user->walk);
	user->walk = NULL;
	look_for_folders(user);
	for (unsigned i = 1; user->walk && i < WT_REGISTRY_TURNS; i++)
		look_for_folders(user);
	if (user->walk)
		wt_registry_tell_behind();
}

/* With rings, what appeared there is seen first: there events are. */
static int look_into(struct wt_user_folder *folder, bool for_providers, struct wt_err *err)
{
	uint32_t before = folder->rings ? wt_rings_n(folder->rings) : 0;
	int rc = 0;

	folder->learned = false;
	if (wt_allowance_is_spent(folder->allowance))
		return 0;
	wt_allowance_begin(folder->allowance);
	if (folder->rings)
		rc = wt_rings_look(folder->rings, err);
	if (folder->rings && wt_rings_heard(folder->rings))
		folder->woke = wt_clock_now();
	if (!rc && (for_providers || wt_control_is_behind(folder->control)) &&
	    !wt_allowance_is_over(folder->allowance))
		rc = wt_user_scan(folder, false, err);
	wt_allowance_end(folder->allowance);
	/* Somebody new: what he may do is to be known soon. */
	if (!rc && folder->rings && wt_rings_n(folder->rings) > before)
		wt_user_look_at_processes(folder);
	return rc;
}

/* One user's trouble costs no other user's events: all folders have their turn, the first reason is told. */
int wt_user_look(struct wt_user *user, struct wt_err *err)
{
	uint64_t now = wt_clock_now();
	bool for_providers = now - user->last_scan >= SCAN_NS;
	struct wt_err why = WT_ERR_INIT;
	int rc = 0;

	wt_accounts_fill(&user->accounts, now);
	if (for_providers) {
		user->last_scan = now;
		look_for_folders(user);
	}
	wt_user_look_at_all_processes(user);
	wt_user_look_tables(user);
	for (size_t i = 0; i < user->n_folders; i++) {
		if (!look_into(user->folders[i], for_providers, &why) ||
		    !wt_user_bear(user->folders[i], "not all of its programs are looked at", &why))
			continue;
		if (!rc && err)
			*err = why;
		rc = -1;
	}
	return rc;
}

/* What the next sleep should be when a ring was filled to this share during the last one. */
static int closer(int sleep_ms, uint64_t share)
{
	uint64_t ret = (uint64_t)sleep_ms * SHARE_HIGH / share;

	return ret < SLEEP_LEAST ? SLEEP_LEAST : (int)ret;
}

/* Rounds come at once when somebody begins to write, also if nothing of it is old enough to be taken. */
static void pace(struct wt_user *user, const struct wt_rings_sum *rings)
{
	uint64_t now = wt_clock_now(), quiet = now - user->last_busy;
	uint64_t share = rings->most_used > rings->most_grown ? rings->most_used : rings->most_grown;

	if (rings->written != user->written) {
		user->written = rings->written;
		user->last_busy = now;
	}
	if (now == user->last_busy && quiet > WT_NSEC)
		user->sleep_ms = SLEEP_LEAST;
	else if (share > SHARE_HIGH)
		user->sleep_ms = closer(user->sleep_ms, share);
	else if (quiet > WT_NSEC)
		user->sleep_ms = SLEEP_IDLE;
	else if (share < SHARE_LOW)
		user->sleep_ms = user->sleep_ms * 2 > SLEEP_MOST ? SLEEP_MOST : user->sleep_ms * 2;
}

static int tell(struct wt_user_folder *folder, struct wt_err *err)
{
	int rc;

	wt_allowance_begin(folder->allowance);
	rc = wt_rings_tell(folder->rings, err);
	wt_allowance_end(folder->allowance);
	return rc;
}

int wt_user_tell_rest(struct wt_user *user, struct wt_err *err)
{
	int rc = 0;

	if (user->rest_told)
		return 0;
	user->rest_told = true;
	for (size_t i = 0; !rc && i < user->n_folders; i++)
		if (user->folders[i]->allowance && user->folders[i]->rings)
			rc = wt_rings_tell_rest(user->folders[i]->rings, err);
	wt_accounts_close(&user->accounts);
	return rc;
}

/* Rounds come closer together for the fullest rings: whose they are pays for what a round costs all. */
#define ROUND_WORK 400u

static void charge_round(struct wt_user *user, const struct wt_rings_sum *all)
{
	uint64_t share = all->most_used > all->most_grown ? all->most_used : all->most_grown;

	for (size_t i = 0; share > SHARE_HIGH && i < user->n_folders; i++) {
		struct wt_user_folder *folder = user->folders[i];
		struct wt_rings_sum one;

		if (!folder->allowance || !folder->rings)
			continue;
		wt_rings_sum(folder->rings, &one);
		if (one.most_used == share || one.most_grown == share)
			wt_recorder_charge(user->rec, folder->allowance, ROUND_WORK);
	}
}

int wt_user_settle(struct wt_user *user, bool *flush, struct wt_err *err)
{
	struct wt_user_sum sum;

	for (size_t i = 0; i < user->n_folders; i++)
		if (user->folders[i]->rings && tell(user->folders[i], err))
			return -1;
	if (wt_user_tell_missed(user, user->ended, err))
		return -1;
	wt_user_sum(user, &sum);
	charge_round(user, &sum.rings);
	pace(user, &sum.rings);
	*flush = sum.rings.most_used > SHARE_ROOM;
	return 0;
}

size_t wt_user_poll_fds(const struct wt_user *user, int *fds, size_t cap)
{
	uint64_t now = wt_clock_now();
	size_t n = 0;

	for (size_t i = 0; i < user->n_folders; i++) {
		const struct wt_user_folder *folder = user->folders[i];
		int fd = folder->rings ? wt_rings_fd(folder->rings) : -1;

		if (folder->allowance &&
		    (wt_allowance_is_spent(folder->allowance) || now - folder->woke < WAKE_NS))
			continue;
		if (fd >= 0 && n < cap)
			fds[n++] = fd;
	}
	return n;
}

int wt_user_timeout(const struct wt_user *user)
{
	return user->sleep_ms;
}
