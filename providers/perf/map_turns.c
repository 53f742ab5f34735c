// SPDX-License-Identifier: MIT
#include "providers/perf/map_turns.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracecore/base/clock.h"
#include "tracecore/base/diag.h"
#include "tracecore/base/grow.h"

struct wt_map_turns *wt_map_turns_create(void)
{
	struct wt_map_turns *turns = calloc(1, sizeof(*turns));

	if (turns)
		wt_allowance_init(&turns->common, WT_MAP_TURNS_ALL_RATE, WT_MAP_TURNS_ALL_MOST, 0,
				  wt_clock_now());
	return turns;
}

void wt_map_turns_destroy(struct wt_map_turns *turns)
{
	if (!turns)
		return;
	free(turns->due);
	free(turns);
}

size_t wt_map_turns_due(const struct wt_map_turns *turns)
{
	return turns ? turns->n_due : 0;
}

static struct wt_map_user *user_of(struct wt_map_turns *turns, uint32_t uid)
{
	struct wt_map_user *user;

	for (size_t i = 0; i < turns->n_users; i++)
		if (turns->users[i].uid == uid)
			return &turns->users[i];
	if (turns->n_users == WT_MAP_TURNS_USERS)
		return &turns->users[WT_MAP_TURNS_USERS - 1];
	user = &turns->users[turns->n_users++];
	user->uid = uid;
	wt_allowance_init(&user->allowance, WT_MAP_TURNS_RATE, WT_MAP_TURNS_MOST, 0, wt_clock_now());
	user->allowance.common = &turns->common;
	return user;
}

struct wt_allowance *wt_map_turns_of(struct wt_map_turns *turns, uint32_t uid)
{
	struct wt_allowance *allowance;

	if (!turns || !uid || uid == geteuid())
		return NULL;
	allowance = &user_of(turns, uid)->allowance;
	wt_allowance_fill(allowance, wt_clock_now());
	wt_allowance_fill(&turns->common, wt_clock_now());
	return allowance;
}

void wt_map_turns_put_off(struct wt_map_turns *turns, const struct wt_map_due *due)
{
	struct wt_map_user *user = user_of(turns, due->uid);

	if (!user->reported)
		wt_warn("reading what processes of uid %u have mapped takes more than that user's share of "
			"time (the first that waits: %u): it goes on a little at a time, and until then "
			"addresses in them have no names",
			due->uid, due->pid);
	user->reported = true;
	if (turns->n_due < WT_MAP_TURNS_DUE && !wt_grow(&turns->due, &turns->cap_due, turns->n_due, 1, NULL))
		turns->due[turns->n_due++] = *due;
	else
		turns->left_out++;
}

bool wt_map_turns_take(struct wt_map_turns *turns, size_t *at, struct wt_map_due *ret)
{
	for (; *at < turns->n_due; (*at)++) {
		if (wt_allowance_is_spent(wt_map_turns_of(turns, turns->due[*at].uid)))
			continue;
		*ret = turns->due[*at];
		turns->n_due--;
		memmove(&turns->due[*at], &turns->due[*at + 1], (turns->n_due - *at) * sizeof(*turns->due));
		return true;
	}
	return false;
}
