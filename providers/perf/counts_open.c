// SPDX-License-Identifier: MIT
/* A group of counters on one CPU: opened, its records taken, its counters read. */
#include "providers/perf/internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum wt_perf_counts_what wt_perf_counts_of(const struct wt_perf_counts *counts, uint32_t slot)
{
	int what = 0;

	while (what < WT_COUNTS_WHATS && (counts->slots[what] != slot || slot == UINT32_MAX))
		what++;
	return (enum wt_perf_counts_what)what;
}

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

		if (of.slot == UINT32_MAX)
			continue;
		if (wt_perf_open_attr(perf, ring, perf->slots[of.slot].attr, of, leader, err))
			return -1;
		leader = leader < 0 ? ring->fds[ring->n_fds - 1].fd : leader;
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

void wt_perf_chain_doubt(struct wt_perf_chain *chain, enum wt_perf_chain_doubt doubt)
{
	for (int what = 0; what < WT_COUNTS_WHATS; what++)
		chain->doubt[what] = doubt;
}

int wt_perf_counts_take(const struct wt_perf_counts *counts, const struct wt_perf_record *record,
			struct wt_perf_chain *chain, struct wt_buf *out, enum wt_counts_certainty *ret)
{
	enum wt_perf_counts_what what = wt_perf_counts_of(counts, record->slot);
	uint32_t own = what == WT_COUNTS_INTERVAL && counts->n_slots > 1;
	struct wt_perf_counted now;

	if (what == WT_COUNTS_WHATS || wt_perf_counted_parse(record, counts->n_slots, own, counts->n, &now) < 0)
		return -1;
	if (chain->doubt[what] == WT_CHAIN_UNKNOWN)
		chain->last[what] = now;
	*ret = chain->doubt[what] ? WT_COUNTS_OVER_LOSS
				  : wt_perf_counted_step(&chain->last[what], &now, counts->n,
							 what == WT_COUNTS_SWITCH ? WT_PERIOD_ONE
										  : WT_PERIOD_MANY);
	chain->doubt[what] = WT_CHAIN_WHOLE;
	wt_perf_counted_put(out, *ret, &chain->last[what], &now, counts->n, what == WT_COUNTS_INTERVAL);
	chain->last[what] = now;
	return 0;
}

bool wt_perf_counts_read(const struct wt_perf_ring *ring, uint32_t counter,
			 uint64_t ret[3])
{

	for (size_t i = 0; i < ring->n_fds; i++)
		if (ring->fds[i].slot == WT_PERF_SLOT_COUNTER && ring->fds[i].part == counter)
			return read(ring->fds[i].fd, ret, 24) == 24;
	return false;
}
