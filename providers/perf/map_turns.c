// SPDX-License-Identifier: MIT
#include "providers/perf/map_turns.h"

#include <stdlib.h>
#include <string.h>

#include "tracecore/base/diag.h"
#include "tracecore/base/grow.h"

struct wt_map_turns *wt_map_turns_create(void)
{
	struct wt_map_turns *turns = calloc(1, sizeof(*turns));

	if (turns)
		wt_user_times_init(&turns->times, WT_MAP_TURNS_RATE, WT_MAP_TURNS_MOST, WT_MAP_TURNS_ALL_RATE,
				   WT_MAP_TURNS_ALL_MOST);
	return turns;
}

void wt_map_turns_destroy(struct wt_map_turns *turns)
{
	if (!turns)
		return;
	wt_user_times_deinit(&turns->times);
	free(turns->due);
	free(turns);
}

size_t wt_map_turns_due(const struct wt_map_turns *turns)
{
	return turns ? turns->n_due : 0;
}

struct wt_allowance *wt_map_turns_of(struct wt_map_turns *turns, uint32_t uid)
{
	struct wt_user_time *user = turns ? wt_user_times_of(&turns->times, uid) : NULL;

	return user ? &user->allowance : NULL;
}

void wt_map_turns_put_off(struct wt_map_turns *turns, const struct wt_map_due *due)
{
	struct wt_user_time *user = wt_user_times_of(&turns->times, due->uid);

	if (!user->reported)
		wt_warn("reading the mappings of processes of uid %u takes more than that user's share of "
			"time (the first that waits: %u): they are read a little at a time, and until then "
			"addresses in these processes have no names",
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
