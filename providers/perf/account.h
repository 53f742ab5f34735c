/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What became of the events of one ring: by slot, the samples that were read from it and those that never
 * came into it.
 *
 * The kernel counts an event first and then samples it. Between the two a sample can be dropped without a
 * trace: by a filter of the machine's kernel for tasks it hides, or because there were no registers to
 * sample. No record tells of that, not even the kernel's count of lost samples. For events of period 1 it
 * shows in the sum, once the events have stopped and the ring is empty:
 *
 *   counted = samples read + lost by the ring (PERF_FORMAT_LOST) + not sampled
 *
 * The samples are those read from the ring, not those found in the log: whether all that was read is in the
 * log as well stays something to be checked. The sums go with the ring's tail from one recorder to the next
 * (struct wt_perf_carry). One thread.
 */
#ifndef PROVIDERS_PERF_ACCOUNT_H
#define PROVIDERS_PERF_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "providers/perf/record.h"

struct wt_perf;
struct wt_perf_ring;
struct wt_perf_slot;

/** One event of one ring. */
struct wt_perf_sums {
	uint64_t samples;   /**< read and taken */
	uint64_t unsampled; /**< counted, not sampled, and reported as a loss */
};

struct wt_perf_account {
	struct wt_perf_sums *sums; /**< by slot; owned */
	size_t n;                  /**< slots */
	uint32_t slot;             /**< of what was read and is not taken yet; n or more: none */
	uint64_t samples;          /**< 1: a sample of it */
	uint64_t unsampled;        /**< a loss of so many */
	bool damaged;              /**< bytes of the ring were skipped: samples may have been among them */
	uint32_t next;             /**< slot whose sum is looked at next */
};

/** Kept for the recorder that takes over, beside each copy of struct wt_perf_carry: n_slots sums. -1 when
 * memory is out. */
int wt_perf_account_init(struct wt_perf_account *account, size_t n_slots);
void wt_perf_account_deinit(struct wt_perf_account *account);

/** The next record is a sample of this slot. */
static inline void wt_perf_account_sample(struct wt_perf_account *account, uint32_t slot)
{
	account->slot = slot;
	account->samples = 1;
	account->unsampled = 0;
}

/** What was read is taken: it counts. */
static inline void wt_perf_account_take(struct wt_perf_account *account)
{
	if (account->slot < account->n) {
		account->sums[account->slot].samples += account->samples;
		account->sums[account->slot].unsampled += account->unsampled;
	}
	account->slot = WT_PERF_SLOT_NONE;
}

/** What was read will be read again. */
static inline void wt_perf_account_again(struct wt_perf_account *account)
{
	account->slot = WT_PERF_SLOT_NONE;
}

/** True when the kernel's count of the event is one of samples: its period is 1 and it counts no time. */
bool wt_perf_counts_samples(const struct wt_perf_slot *slot);

/** After the ring's events have stopped and it is empty: the next slot of which some were not sampled, and
 * how many; they count as reported once taken. False: no more. */
bool wt_perf_account_missing(struct wt_perf_account *account, const struct wt_perf *perf,
			     const struct wt_perf_ring *ring, uint32_t *slot, uint64_t *count);

#endif
