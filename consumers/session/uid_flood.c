// SPDX-License-Identifier: MIT
#include "consumers/session/uid_flood.h"

#include <stddef.h>

#include "tracecore/base/clock.h"

/* Returns the user's count or, when there is none, a free one. */
static struct wt_uid_count *find(struct wt_uid_flood *flood, uid_t uid)
{
	struct wt_uid_count *free = NULL;

	for (uint32_t i = 0; i < WT_UID_FLOOD_USERS; i++) {
		struct wt_uid_count *count = &flood->users[i];

		if (count->n && count->uid == uid)
			return count;
		if (!count->n)
			free = count;
	}
	return free;
}

/* Without a free count all counts go down by one, so that only a user with many keeps some. */
static void count(struct wt_uid_flood *flood, uid_t uid)
{
	struct wt_uid_count *found = find(flood, uid);

	if (found) {
		found->uid = uid;
		found->n++;
		return;
	}
	for (uint32_t i = 0; i < WT_UID_FLOOD_USERS; i++)
		flood->users[i].n--;
}

bool wt_uid_flood_add(struct wt_uid_flood *flood, uid_t uid, uint64_t now)
{
	if (!flood->n || now - flood->from >= WT_NSEC)
		*flood = (struct wt_uid_flood){.from = now};
	count(flood, uid);
	return ++flood->n > WT_UID_FLOOD_MOST;
}

const struct wt_uid_count *wt_uid_flood_largest(const struct wt_uid_flood *flood)
{
	const struct wt_uid_count *most = &flood->users[0];

	for (uint32_t i = 1; i < WT_UID_FLOOD_USERS; i++)
		if (flood->users[i].n > most->n)
			most = &flood->users[i];
	return most->n ? most : NULL;
}
