// SPDX-License-Identifier: MIT
#include "providers/perf/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int wt_perf_fd_read(const struct wt_perf *perf, int fd, struct wt_perf_past *ret)
{
	uint8_t bytes[24];
	size_t want = perf->caps.format_lost ? 24 : 16;
	struct wt_cursor cur;
	ssize_t got;

	do
		got = read(fd, bytes, want);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return -1;
	cur = wt_cursor(bytes, (size_t)got);
	ret->produced = wt_cur_u64(&cur);
	wt_cur_u64(&cur); /* the id */
	ret->lost = perf->caps.format_lost ? wt_cur_u64(&cur) : 0;
	return cur.bad ? -1 : 0;
}

uint64_t wt_perf_ring_lost(const struct wt_perf *perf, const struct wt_perf_ring *ring)
{
	struct wt_perf_past counts;
	uint64_t lost = 0;

	for (size_t i = 0; i < ring->n_fds; i++)
		if (ring->fds[i].slot != WT_PERF_SLOT_INODES &&
		    wt_perf_fd_read(perf, ring->fds[i].fd, &counts) == 0)
			lost += counts.lost;
	return lost;
}

uint64_t wt_perf_ring_slot_lost(const struct wt_perf *perf, const struct wt_perf_ring *ring, uint32_t slot)
{
	struct wt_perf_past counts;
	uint64_t lost = 0;

	for (size_t i = 0; i < ring->n_fds; i++)
		if (ring->fds[i].slot == slot && wt_perf_fd_read(perf, ring->fds[i].fd, &counts) == 0)
			lost += counts.lost;
	return lost;
}

uint64_t wt_perf_ring_counted(const struct wt_perf *perf, const struct wt_perf_ring *ring)
{
	struct wt_perf_past counts;
	uint64_t counted = 0;

	for (size_t i = 0; i < ring->n_fds; i++) {
		const struct wt_perf_fd *fd = &ring->fds[i];

		if (fd->slot < perf->n_slots && perf->slots[fd->slot].accounts && !fd->part &&
		    wt_perf_fd_read(perf, fd->fd, &counts) == 0)
			counted += counts.produced;
	}
	return counted;
}

/* All that a CPU's descriptors of each slot have counted, those already closed too. */
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
		if (wt_perf_fd_read(perf, ring->fds[i].fd, &counts) < 0)
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
