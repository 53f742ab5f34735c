// SPDX-License-Identifier: MIT
#include "providers/perf/counts_group.h"

#include <unistd.h>

#include "providers/perf/internal.h"

enum wt_perf_counts_what wt_perf_counts_of(const struct wt_perf_counts *counts, uint32_t slot)
{
	int what = 0;

	while (what < WT_COUNTS_WHATS && (counts->slots[what] != slot || slot == UINT32_MAX))
		what++;
	return (enum wt_perf_counts_what)what;
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

	if (what == WT_COUNTS_WHATS ||
	    wt_perf_counted_parse(record, counts->n_slots, own, counts->n, &now) < 0)
		return -1;
	if (chain->doubt[what] == WT_CHAIN_UNKNOWN)
		chain->last[what] = now;
	*ret = chain->doubt[what]
		       ? WT_COUNTS_OVER_LOSS
		       : wt_perf_counted_step(&chain->last[what], &now, counts->n,
					      what == WT_COUNTS_SWITCH ? WT_PERIOD_ONE : WT_PERIOD_MANY);
	chain->doubt[what] = WT_CHAIN_WHOLE;
	wt_perf_counted_put(out, *ret, &chain->last[what], &now, counts->n, what == WT_COUNTS_INTERVAL);
	chain->last[what] = now;
	return 0;
}

bool wt_perf_counts_read(const struct wt_perf_ring *ring, uint32_t counter, uint64_t ret[3])
{

	for (size_t i = 0; i < ring->n_fds; i++)
		if (ring->fds[i].slot == WT_PERF_SLOT_COUNTER && ring->fds[i].part == counter)
			return read(ring->fds[i].fd, ret, 24) == 24;
	return false;
}
