// SPDX-License-Identifier: MIT
/* Memory that all processes of a session share: the state that a recorder leaves to the next one. */
#include "providers/perf/internal.h"

#include <sys/mman.h>

static size_t late_bytes(const struct wt_perf *perf)
{
	return perf->n_cpus * sizeof(*perf->late);
}

static size_t sums_bytes(const struct wt_perf *perf)
{
	return 2 * (perf->n_slots + 1) * perf->n_cpus * sizeof(*perf->sums);
}

static size_t shared_bytes(const struct wt_perf *perf)
{
	return WT_PERF_RINGS * (size_t)perf->n_cpus * sizeof(*perf->shared);
}

static size_t chains_bytes(const struct wt_perf *perf)
{
	return 2 * (size_t)perf->n_cpus * sizeof(*perf->chains);
}

/* Reserves addresses for the holds of rings where samples carry copies of stacks. Without the addresses
 * nothing is held. */
static void map_holds(struct wt_perf *perf)
{
	uint64_t stride = (perf->sample_pages + (uint64_t)perf->sideband_pages) * wt_perf_page_size() *
			  WT_PERF_HOLD_SPAN;
	void *map;

	if (!perf->stack_bytes)
		return;
	map = mmap(NULL, stride * perf->n_cpus, PROT_READ | PROT_WRITE,
		   MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (map == MAP_FAILED)
		return;
	perf->holds = map;
	perf->hold_stride = stride;
}

int wt_perf_shared_open(struct wt_perf *perf, struct wt_err *err)
{
	void *map = mmap(NULL, shared_bytes(perf), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (map == MAP_FAILED)
		return wt_fail_errno(err, "cannot map %u bytes", perf->n_cpus);
	perf->shared = map;
	map = mmap(NULL, sums_bytes(perf), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE,
		   -1, 0);
	if (map == MAP_FAILED)
		return wt_fail_errno(err, "cannot map %zu bytes", sums_bytes(perf));
	perf->sums = map;
	map = mmap(NULL, late_bytes(perf), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED)
		return wt_fail_errno(err, "cannot map %zu bytes", late_bytes(perf));
	perf->late = map;
	map_holds(perf);
	if (!perf->counts.n)
		return 0;
	map = mmap(NULL, chains_bytes(perf), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED)
		return wt_fail_errno(err, "cannot map %zu bytes", chains_bytes(perf));
	perf->chains = map;
	return 0;
}

uint64_t wt_perf_hold_room(const struct wt_perf *perf)
{
	uint64_t held = 0;

	for (uint32_t i = 0; i < WT_PERF_RINGS * perf->n_cpus; i++)
		held += perf->shared[i].held.bytes;
	return held < WT_PERF_HOLD_BYTES ? WT_PERF_HOLD_BYTES - held : 0;
}

void wt_perf_shared_close(struct wt_perf *perf)
{
	if (perf->holds)
		munmap(perf->holds, perf->hold_stride * perf->n_cpus);
	if (perf->shared)
		munmap(perf->shared, shared_bytes(perf));
	if (perf->sums)
		munmap(perf->sums, sums_bytes(perf));
	if (perf->chains)
		munmap(perf->chains, chains_bytes(perf));
	if (perf->late)
		munmap(perf->late, late_bytes(perf));
}
