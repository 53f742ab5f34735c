/* SPDX-License-Identifier: MIT */
/**
 * @file
 * CPU time that no sample stands for, per thread, on one CPU.
 *
 * Where threads are sampled instead of CPUs, each thread begins with a whole period, and a thread that ends
 * before is never seen. The kernel nevertheless counts its time and reports it when the thread ends. The
 * time beyond the thread's samples is its unsampled time. It is reported in spans of the length that one
 * sample stands for, so that samples and spans can be added up. The rest of a span is carried on to the next
 * thread.
 *
 * Samples that were taken and found no room in the ring are lost, not unsampled: the kernel counts them, and
 * as many spans are left out. The kernel does not report their threads, so the next thread with a span left
 * gets the credit.
 *
 *   counted by the kernel = (samples + lost + spans reported) * span + owed, owed < span
 *
 * The right-hand side may exceed the left by less than a span for each timer of a thread, and by a span for
 * each lost record of a thread's end. One reader; single-threaded.
 */
#ifndef PROVIDERS_PERF_UNSAMPLED_H
#define PROVIDERS_PERF_UNSAMPLED_H

#include <stdbool.h>
#include <stdint.h>

/** Zeroed except for span: empty. */
struct wt_perf_unsampled {
	uint64_t span; /**< ns that one sample stands for */
	struct wt_perf_unsampled_thread {
		uint32_t tid;     /**< 0: free */
		uint32_t samples; /**< its samples so far */
		uint64_t told;    /**< ns reported, where processes are kept (rest.h) */
		uint64_t first;   /**< when it was first noted, where processes are kept */
	} * threads;              /**< open addressing; owned */
	uint32_t n, cap;          /**< cap a power of two */
	uint32_t sweep_at;        /**< `n` at which ended ones are searched for, where processes are kept */
	uint64_t alive;           /**< samples of all in the table */
	uint64_t ended;           /**< ns counted for threads that ended */
	uint64_t lost;            /**< lost samples for which no span has been left out yet */
	uint64_t lost_so_far;     /**< samples lost */
	uint64_t owed;            /**< unsampled ns that are not reported yet, less than a span */
};

/** Counts a sample of the thread. -1 when memory is out. The idle task, 0, is ignored. */
int wt_perf_unsampled_sample(struct wt_perf_unsampled *account, uint32_t tid);
/** Adds `n` samples, and ns that were reported, at a time: for a table of processes. -1 when memory is out.
 */
int wt_perf_unsampled_note(struct wt_perf_unsampled *account, uint32_t tid, uint64_t time, uint64_t n,
			   uint64_t told);
/** Returns NULL when the thread is not in the table. */
const struct wt_perf_unsampled_thread *wt_perf_unsampled_find(const struct wt_perf_unsampled *account,
							      uint32_t tid);
/** A CPU cannot count more time than passes: false when `counted` more ns are impossible `passed` ns after
 * the events began. A ring may contain any number, and each span becomes an event. */
bool wt_perf_unsampled_can_be(const struct wt_perf_unsampled *account, uint64_t counted, uint64_t passed);
/** Removes a thread or process that no longer exists. */
void wt_perf_unsampled_forget(struct wt_perf_unsampled *account, uint32_t tid);
/** Removes all that have ended. */
void wt_perf_unsampled_sweep(struct wt_perf_unsampled *account, bool (*is_gone)(uint32_t tid));
/** Notes the number of samples lost since the beginning. */
void wt_perf_unsampled_lost(struct wt_perf_unsampled *account, uint64_t lost);
/** The thread ended; `counted` ns were its time. Returns the number of its spans without a sample. */
uint64_t wt_perf_unsampled_end(struct wt_perf_unsampled *account, uint32_t tid, uint64_t counted);
/** All threads ended; `total` ns were counted for all of them. Returns the spans of threads whose ends were
 * not reported. */
uint64_t wt_perf_unsampled_settle(struct wt_perf_unsampled *account, uint64_t total);
void wt_perf_unsampled_deinit(struct wt_perf_unsampled *account);

#endif
