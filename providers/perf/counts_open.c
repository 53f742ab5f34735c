// SPDX-License-Identifier: MIT
/* Opening a group of counters on one CPU. */
#include "providers/perf/internal.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

/* The group as a whole may be more than a PMU has counters for. */
static int fail_counter(const struct wt_perf *perf, uint32_t counter, uint32_t cpu, struct wt_err *err)
{
	const char *name = perf->counts.counters[counter].name;
	int e = errno;
	char what[200];

	if (e == EINVAL && counter)
		return wt_fail(err, WT_ERR_LIMIT,
			       "counter '%s' on CPU %u: not together with the %u before it, which are read "
			       "together: the PMU has too few counters, or refuses it; name fewer",
			       name, cpu, counter);
	snprintf(what, sizeof(what), "counter '%s' on CPU %u", name, cpu);
	errno = e;
	return wt_perf_fail_open(perf, what, err);
}

int wt_perf_counts_open(struct wt_perf *perf, struct wt_perf_ring *ring, struct wt_err *err)
{
	int leader = -1;

	for (int what = 0; what < WT_COUNTS_WHATS; what++) {
		struct wt_perf_fd of = {-1, perf->counts.slots[what], 0};
		size_t at = ring->n_fds;

		if (of.slot == UINT32_MAX)
			continue;
		if (wt_perf_open_event(perf, ring, perf->slots[of.slot].attr, of, -1, leader, err))
			return -1;
		/* The output event of copied stacks may follow it in the list. */
		leader = leader < 0 ? ring->fds[at].fd : leader;
	}
	for (uint32_t i = 0; i < perf->counts.n; i++) {
		int fd = wt_perf_open_retry(perf, &perf->counts.counters[i].attr, -1, ring->cpu, leader);

		if (fd < 0)
			return fail_counter(perf, i, ring->cpu, err);
		if (wt_perf_ring_add_fd(ring, (struct wt_perf_fd){fd, WT_PERF_SLOT_COUNTER, i}) < 0) {
			close(fd);
			return wt_fail_nomem(err);
		}
	}
	return 0;
}
