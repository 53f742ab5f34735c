/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The word in `sessions` that counts changes of enable bytes, and the threads that sleep on it: ENABLE.md
 * section 3, E4.
 */
#ifndef TRACECORE_ENABLE_CHANGES_H
#define TRACECORE_ENABLE_CHANGES_H

#include <stdint.h>

/** The sleepers that a change concerns. */
enum wt_changes_for {
	WT_CHANGES_EVERYBODY,
	WT_CHANGES_THIS_PROCESS /**< other processes may also wake, by chance, and find nothing new */
};

/** Counts a change in a word of this process's mapping and wakes the threads that sleep on it.
 * Async-signal-safe. */
void wt_changes_count(uint32_t *word, enum wt_changes_for whom);
/** Counts a change in a page of a file that another process may truncate. This process does not touch the
 * page: the kernel adds and wakes. */
void wt_changes_count_foreign(uint32_t *word);
/** Sleeps until the word no longer equals `seen`; may also return without a reason. */
void wt_changes_wait(const uint32_t *word, uint32_t seen);

#endif
