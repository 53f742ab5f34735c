// SPDX-License-Identifier: MIT
/* The kernel's counts per event and CPU, in the form of wt_perf_counters. */
#include "providers/perf/internal.h"

#include <stdlib.h>
#include <string.h>

/* Sums all that a CPU's descriptors of each slot have counted, including closed ones. */
static int sum_ring(const struct wt_perf *perf, const struct wt_perf_ring *ring, struct wt_perf_past *sums,
		    bool *seen, struct wt_err *err)
{
	struct wt_perf_past counts;

	const struct wt_perf_sums *read = ring->source ? wt_perf_source_sums(ring->source) : NULL;

	for (size_t i = 0; i < perf->n_slots; i++) {
		sums[i] = ring->past ? ring->past[i] : (struct wt_perf_past){0};
		sums[i].unsampled += read ? read[i].unsampled : 0;
		seen[i] = ring->past != NULL;
	}
	for (size_t i = 0; i < ring->n_fds; i++) {
		uint32_t slot = ring->fds[i].slot;

		if (slot >= perf->n_slots)
			continue;
		if (wt_perf_fd_read(perf, ring, &ring->fds[i], &counts) < 0)
			return wt_fail_errno(err, "cannot read the count of event '%s' on CPU %u",
					     perf->slots[slot].name, ring->cpu);
		sums[slot].produced += counts.produced;
		sums[slot].lost += counts.lost;
		seen[slot] = true;
	}
	return 0;
}

static void tell(const struct wt_perf *perf, uint32_t cpu, const struct wt_perf_past *sums, const bool *seen,
		 void (*fn)(void *ctx, const struct wt_counted_payload *counted), void *ctx)
{
	for (size_t i = 0; i < perf->n_slots; i++) {
		const struct wt_perf_slot *slot = &perf->slots[i];
		const struct wt_counted_payload counted = {
			.provider = {slot->provider, (uint32_t)strlen(slot->provider)},
			.event = {slot->name, (uint32_t)strlen(slot->name)},
			.on_cpu = cpu,
			.produced = sums[i].produced / (slot->n_vary ? slot->n_vary : 1),
			.lost = sums[i].lost + sums[i].unsampled,
			.period1 = wt_perf_counts_samples(slot),
		};

		if (seen[i])
			fn(ctx, &counted);
	}
}

int wt_perf_counters(struct wt_perf *perf, void (*fn)(void *ctx, const struct wt_counted_payload *counted),
		     void *ctx, struct wt_err *err)
{
	struct wt_perf_past *sums = calloc(perf->n_slots + 1, sizeof(*sums));
	bool *seen = calloc(perf->n_slots + 1, sizeof(*seen));
	int ret = sums && seen ? 0 : wt_fail_nomem(err);

	for (uint32_t cpu = 0; cpu < perf->n_cpus && !ret; cpu++) {
		ret = sum_ring(perf, &perf->cpus[cpu].samples, sums, seen, err);
		if (!ret)
			tell(perf, cpu, sums, seen, fn, ctx);
	}
	free(sums);
	free(seen);
	return ret;
}
