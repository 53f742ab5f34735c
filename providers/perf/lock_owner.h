/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The futex for which a thread waits, and the thread that has the lock.
 *
 * The word of a futex with priority inheritance has its owner's number: the kernel demands it. A mutex of
 * glibc has the owner beside its word, and a robust one in it. Whether a futex is such a mutex is not
 * recorded anywhere: its words are taken for one if they are what a mutex has that somebody waits for, and
 * if the owner is a living thread of the process. So that owner is a hint.
 */
#ifndef PROVIDERS_PERF_LOCK_OWNER_H
#define PROVIDERS_PERF_LOCK_OWNER_H

#include "tracecore/base/thread_place.h"
#include "tracecore/kernel_events.h"

/** Words from the futex's own on: word, count, owner, users, kind (glibc's struct __pthread_mutex_s). */
enum { WT_LOCK_WORDS = 5 };

struct wt_lock_owner {
	uint64_t lock;    /**< address; 0: the thread does not wait for a futex */
	uint32_t owner;   /**< number of a thread; 0: not known */
	uint8_t owner_is; /**< enum wt_lock_owner_is */
};

/** Reads them from a waiting thread's place and its memory. Its wait must be seen to have gone on. */
void wt_lock_owner_read(uint32_t pid, const struct wt_thread_place *place, struct wt_lock_owner *ret);

/** Returns the owner that the words of a futex tell, as the process counts its threads; 0: none. Arguments op
 * and value are those of the call. Sets *is. */
uint32_t wt_lock_owner_of(uint64_t op, uint32_t value, const uint32_t *words, uint32_t n, uint8_t *is);

#endif
