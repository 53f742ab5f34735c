// SPDX-License-Identifier: MIT
#include "providers/perf/account.h"

#include <stdlib.h>
#include <string.h>

#include "providers/perf/internal.h"

int wt_perf_account_init(struct wt_perf_account *account, size_t n_slots)
{
	*account = (struct wt_perf_account){.slot = WT_PERF_SLOT_NONE};
	account->sums = calloc(n_slots + 1, sizeof(*account->sums));
	account->n = account->sums ? n_slots : 0;
	return account->sums ? 0 : -1;
}

void wt_perf_account_deinit(struct wt_perf_account *account)
{
	free(account->sums);
	*account = (struct wt_perf_account){0};
}

/* The scheduler's statistics count the nanoseconds they report (__perf_count in the kernel's
 * include/trace/events/sched.h), although each makes one sample. */
static bool counts_time(const struct wt_perf_slot *slot)
{
	return !strcmp(slot->provider, "linux:sched") && !strncmp(slot->name, "sched_stat_", 11);
}

bool wt_perf_counts_samples(const struct wt_perf_slot *slot)
{
	return slot->period1 && !counts_time(slot);
}

/* Sums the counts of all descriptors of a slot. False: some cannot be read, or the ring's losses are not
 * known by event (before Linux 6.0). */
static bool sum_slot(const struct wt_perf *perf, const struct wt_perf_ring *ring, uint32_t slot,
		     struct wt_perf_past *ret)
{
	struct wt_perf_past one;

	*ret = (struct wt_perf_past){0};
	for (size_t i = 0; i < ring->n_fds; i++) {
		if (ring->fds[i].slot != slot)
			continue;
		if (wt_perf_fd_read(perf, ring, &ring->fds[i], &one) < 0)
			return false;
		ret->produced += one.produced;
		ret->lost += one.lost;
	}
	return perf->caps.format_lost;
}

bool wt_perf_account_missing(struct wt_perf_account *account, const struct wt_perf *perf,
			     const struct wt_perf_ring *ring, uint32_t *slot, uint64_t *count)
{
	for (; account->next < account->n; account->next++) {
		const struct wt_perf_sums *sums = &account->sums[account->next];
		uint64_t known;
		struct wt_perf_past counted;

		if (!wt_perf_counts_samples(&perf->slots[account->next]) ||
		    !sum_slot(perf, ring, account->next, &counted))
			continue;
		known = sums->samples + sums->unsampled + counted.lost;
		if (counted.produced <= known)
			continue;
		*slot = account->slot = account->next++;
		*count = account->unsampled = counted.produced - known;
		account->samples = 0;
		return true;
	}
	return false;
}
