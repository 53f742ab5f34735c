// SPDX-License-Identifier: MIT
#include "tracecore/base/user_times.h"

#include <unistd.h>

#include "tracecore/base/clock.h"

void wt_user_times_init(struct wt_user_times *ret, uint64_t rate, uint64_t most, uint64_t all_rate,
			uint64_t all_most)
{
	*ret = (struct wt_user_times){.rate = rate, .most = most};
	wt_allowance_init(&ret->common, all_rate, all_most, 0, wt_clock_now());
	wt_subordinates_read(&ret->owners);
}

void wt_user_times_deinit(struct wt_user_times *times)
{
	wt_subordinates_deinit(&times->owners);
}

static struct wt_user_time *find(struct wt_user_times *times, uint32_t uid)
{
	struct wt_user_time *user;

	for (size_t i = 0; i < times->n_users; i++)
		if (times->users[i].uid == uid)
			return &times->users[i];
	if (times->n_users == WT_USER_TIMES)
		return &times->users[WT_USER_TIMES - 1];
	user = &times->users[times->n_users++];
	user->uid = uid;
	wt_allowance_init(&user->allowance, times->rate, times->most, 0, wt_clock_now());
	user->allowance.common = &times->common;
	return user;
}

struct wt_user_time *wt_user_times_of(struct wt_user_times *times, uint32_t uid)
{
	struct wt_user_time *user;
	uint64_t now;

	if (!uid || uid == geteuid())
		return NULL;
	now = wt_clock_now();
	user = find(times, wt_subordinates_owner(&times->owners, uid));
	wt_allowance_fill(&user->allowance, now);
	wt_allowance_fill(&times->common, now);
	return user;
}

bool wt_user_time_is_spent(const struct wt_user_time *time)
{
	const struct wt_allowance *own = time ? &time->allowance : NULL;

	if (!own || own->left <= 0)
		return own;
	return own->common && own->common->left <= 0 && own->left <= (int64_t)(own->most / 2);
}
