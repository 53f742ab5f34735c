// SPDX-License-Identifier: MIT
#include "consumers/record/owners.h"

#include <stdlib.h>

/* A process that is not known, or that got the pid later, is another process. */
static void take(struct wt_tasks *tasks, const struct wt_owner_news *news)
{
	struct wt_process *process = wt_tasks_process(tasks, news->pid);

	if (!process || (process->exact_start && news->time < process->start_time))
		return;
	process->uid = news->uid;
	process->euid = news->euid;
	process->ids_from = process->ids_by = news->time;
	process->claimer = 0;
	tasks->changes++;
}

bool wt_owners_note(struct wt_owners *owners, const struct wt_owner_news *news)
{
	if (!owners->waiting)
		owners->waiting = calloc(WT_OWNERS_WAITING, sizeof(*owners->waiting));
	if (!owners->waiting || owners->n == WT_OWNERS_WAITING)
		return false;
	owners->waiting[(owners->first + owners->n++) % WT_OWNERS_WAITING] = *news;
	return true;
}

void wt_owners_settle_some(struct wt_owners *owners, struct wt_tasks *tasks, uint64_t until)
{
	while (owners->n && owners->waiting[owners->first].time <= until) {
		take(tasks, &owners->waiting[owners->first]);
		owners->first = (owners->first + 1) % WT_OWNERS_WAITING;
		owners->n--;
	}
}

void wt_owners_deinit(struct wt_owners *owners)
{
	free(owners->waiting);
	*owners = (struct wt_owners){0};
}
