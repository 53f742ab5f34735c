/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The account of one ring's events: by slot, the samples read from the ring and those that never reached it.
 *
 * The kernel counts an event first and then samples it. Between the two a sample can be dropped without a
 * trace: by a filter of the machine's kernel for tasks it hides, or because there were no registers to
 * sample. No record reports this, and the kernel's count of lost samples does not include it. For events of
 * period 1 the number follows from the sum, once the events have stopped and the ring is empty:
 *
 *   counted = samples read + lost by the ring (PERF_FORMAT_LOST) + not sampled
 *
 * The samples are those read from the ring, not those found in the log; a separate check compares the two.
 * The sums pass with the ring's tail from one recorder to the next (struct wt_perf_carry). One thread.
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
	uint64_t unsampled; /**< counted, not sampled, and reported as lost */
};

struct wt_perf_account {
	struct wt_perf_sums *sums; /**< by slot; owned */
	size_t n;                  /**< slots */
	uint32_t slot;             /**< slot of a record that was read and not taken yet; n or more: none */
	uint64_t samples;          /**< 1: a sample of it */
	uint64_t unsampled;        /**< a loss of this many */
	bool damaged;              /**< bytes of the ring were skipped: samples may have been among them */
	uint32_t next;             /**< slot whose sum is looked at next */
};

/** Kept for the recorder that takes over, beside each copy of struct wt_perf_carry: n_slots sums. Returns -1
 * when memory is out. */
int wt_perf_account_init(struct wt_perf_account *account, size_t n_slots);
void wt_perf_account_deinit(struct wt_perf_account *account);

/** Notes that the next record is a sample of this slot. */
static inline void wt_perf_account_sample(struct wt_perf_account *account, uint32_t slot)
{
	account->slot = slot;
	account->samples = 1;
	account->unsampled = 0;
}

/** Call when the record that was read is taken: it counts. */
static inline void wt_perf_account_take(struct wt_perf_account *account)
{
	if (account->slot < account->n) {
		account->sums[account->slot].samples += account->samples;
		account->sums[account->slot].unsampled += account->unsampled;
	}
	account->slot = WT_PERF_SLOT_NONE;
}

/** Call when the record that was read will be read again. */
static inline void wt_perf_account_again(struct wt_perf_account *account)
{
	account->slot = WT_PERF_SLOT_NONE;
}

/** True when the kernel's count of the event is a number of samples: its period is 1 and it does not count
 * time. */
bool wt_perf_counts_samples(const struct wt_perf_slot *slot);

/** Call after the ring's events have stopped and it is empty. Returns the next slot with events that were not
 * sampled, and their number; they count as reported once taken. False: none is left. */
bool wt_perf_account_missing(struct wt_perf_account *account, const struct wt_perf *perf,
			     const struct wt_perf_ring *ring, uint32_t *slot, uint64_t *count);

#endif
