// SPDX-License-Identifier: MIT
#include "consumers/record/leavers.h"

#include <stdlib.h>
#include <string.h>

/* Highest number of a CPU plus one; a damaged record may contain any number. */
enum { MOST_CPUS = 8192, AT_A_TIME = 64 };

static int grow(struct wt_leavers *leavers, uint32_t cpu)
{
	size_t cap = (cpu / AT_A_TIME + (size_t)1) * AT_A_TIME;
	struct wt_leaver *by_cpu = realloc(leavers->by_cpu, cap * sizeof(*by_cpu));

	if (!by_cpu)
		return -1;
	memset(by_cpu + leavers->cap, 0, (cap - leavers->cap) * sizeof(*by_cpu));
	leavers->by_cpu = by_cpu;
	leavers->cap = cap;
	return 0;
}

void wt_leavers_end(struct wt_leavers *leavers, uint32_t cpu, uint32_t pid, uint32_t tid)
{
	if (cpu >= MOST_CPUS || (cpu >= leavers->cap && grow(leavers, cpu) < 0))
		return;
	leavers->by_cpu[cpu] = (struct wt_leaver){.pid = pid, .tid = tid};
}

struct wt_leaver wt_leavers_leave(struct wt_leavers *leavers, uint32_t cpu)
{
	struct wt_leaver who = {0};

	if (cpu >= leavers->cap)
		return who;
	who = leavers->by_cpu[cpu];
	leavers->by_cpu[cpu] = (struct wt_leaver){0};
	return who;
}

void wt_leavers_deinit(struct wt_leavers *leavers)
{
	free(leavers->by_cpu);
	*leavers = (struct wt_leavers){0};
}
