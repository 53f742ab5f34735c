// SPDX-License-Identifier: MIT
/* The periods of events that vary: the first draw, and later draws. */
#include "providers/perf/internal.h"

#include <sys/ioctl.h>
#include "tracecore/base/clock.h"

void wt_perf_draw(struct wt_perf *perf, const struct wt_perf_slot *slot, uint64_t *ret)
{
	if (slot->n_vary)
		wt_vary_draw(&perf->vary, slot->hz, slot->n_vary, slot->machine ? WT_VARY_NS : 0, ret);
	else
		ret[0] = wt_vary_between(&perf->vary, slot->hz * 3 / 4, slot->hz_most + 1);
}

/* Changes all timers of a CPU at once, because it is interrupted anyway. A timer that refuses keeps its
 * period. */
static bool vary_ring(struct wt_perf *perf, const struct wt_perf_ring *ring)
{
	uint64_t drawn[WT_VARY_MOST];
	bool any = false;

	for (size_t i = 0; i < ring->n_fds; i++) {
		const struct wt_perf_fd *fd = &ring->fds[i];

		/* A thread that runs only now and then would lose the begun periods of its timers again and
		 * again. */
		if (fd->slot >= perf->n_slots || !perf->slots[fd->slot].varies ||
		    !perf->slots[fd->slot].machine)
			continue;
		if (!fd->part)
			wt_perf_draw(perf, &perf->slots[fd->slot], drawn);
		(void)ioctl(fd->fd, PERF_EVENT_IOC_PERIOD, &drawn[fd->part]);
		any = true;
	}
	return any;
}

uint64_t wt_perf_vary(struct wt_perf *perf)
{
	uint64_t now = wt_clock_now();
	bool any = false;

	if (perf->nothing)
		return UINT64_MAX;
	if (now < perf->next_draw)
		return perf->next_draw - now;
	if (perf->next_draw)
		wt_perf_each_cpu (perf, c)
			any |= vary_ring(perf, &c->samples);
	any |= !perf->next_draw;
	perf->next_draw = any ? now + wt_vary_wait(&perf->vary) : UINT64_MAX;
	return perf->next_draw - now;
}
