/* SPDX-License-Identifier: MIT */
/**
 * @file
 * CPU time that no sample stands for, per thread, on one CPU.
 *
 * Where threads are sampled instead of CPUs each of them begins with a whole period: one that ends before is
 * never seen. The kernel counts its time all the same and tells it when the thread ends. What the thread's
 * samples do not account for is its unsampled time, reported in spans as long as one sample stands for, so
 * that samples and such spans can be added up. What is left of a span is carried on to the next thread.
 *
 * Samples that were taken and found no room in the ring are lost, not unsampled: the kernel counts them, and
 * so many spans are not reported. Of whom they were it does not say: the next thread that has some left gets
 * the credit.
 *
 *   counted by the kernel = (samples + lost + spans reported) * span + owed, owed < span
 *
 * The right hand side may be the larger by less than a span for each timer of a thread, and by a span for
 * each record of a thread's end that was lost. One reader; single-threaded.
 */
#ifndef PROVIDERS_PERF_UNSAMPLED_H
#define PROVIDERS_PERF_UNSAMPLED_H

#include <stdbool.h>
#include <stdint.h>

/** Zeroed with a span: empty. */
struct wt_perf_unsampled {
	uint64_t span; /**< ns that one sample stands for */
	struct wt_perf_unsampled_thread {
		uint32_t tid;     /**< 0: free */
		uint32_t samples; /**< of it, so far */
		uint64_t told;    /**< ns, where processes are kept (rest.h) */
		uint64_t first;   /**< when it was noted first, the same */
	} * threads;              /**< open addressing; owned */
	uint32_t n, cap;          /**< cap a power of two */
	uint32_t sweep_at; /**< `n` at which those that are gone are looked for, where processes are kept */
	uint64_t alive;    /**< samples of all in the table */
	uint64_t ended;    /**< ns counted of threads that ended */
	uint64_t lost;     /**< samples lost that no span was left out for yet */
	uint64_t lost_so_far; /**< samples lost */
	uint64_t owed;        /**< ns unsampled that are not reported yet, less than a span */
};

/** -1 when memory is out. The idle task, 0, is nobody's. */
int wt_perf_unsampled_sample(struct wt_perf_unsampled *account, uint32_t tid);
/** Adds `n` samples, and ns that were reported, at a time: for a table of processes. -1 when memory is out.
 */
int wt_perf_unsampled_note(struct wt_perf_unsampled *account, uint32_t tid, uint64_t time, uint64_t n,
			   uint64_t told);
/** NULL: it is not there. */
const struct wt_perf_unsampled_thread *wt_perf_unsampled_find(const struct wt_perf_unsampled *account,
							      uint32_t tid);
/** A CPU has no more time to count than goes by: false when `counted` ns more are too many, `passed` ns after
 * the events began. What a ring says may be anything, and events are made of it one by one. */
bool wt_perf_unsampled_can_be(const struct wt_perf_unsampled *account, uint64_t counted, uint64_t passed);
/** It is there no more. */
void wt_perf_unsampled_forget(struct wt_perf_unsampled *account, uint32_t tid);
/** Forgets all that are gone. */
void wt_perf_unsampled_sweep(struct wt_perf_unsampled *account, bool (*is_gone)(uint32_t tid));
/** So many samples were lost since the beginning. */
void wt_perf_unsampled_lost(struct wt_perf_unsampled *account, uint64_t lost);
/** The thread ended; `counted` ns were its time. How many spans of it no sample stands for. */
uint64_t wt_perf_unsampled_end(struct wt_perf_unsampled *account, uint32_t tid, uint64_t counted);
/** All ended; `total` ns were counted of all threads. Spans of those that did not end by themselves. */
uint64_t wt_perf_unsampled_settle(struct wt_perf_unsampled *account, uint64_t total);
void wt_perf_unsampled_deinit(struct wt_perf_unsampled *account);

#endif
