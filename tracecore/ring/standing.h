/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The standing of this process: the actions that it may take to write an event. A session finds the
 * standing out from outside and publishes it (tracecore/enable/ENABLE.md, section 9), because a process
 * that filters its system calls could be killed for asking.
 */
#ifndef TRACECORE_RING_STANDING_H
#define TRACECORE_RING_STANDING_H

#include <stdbool.h>
#include <stdint.h>

#include "tracecore/base/clock.h"

enum wt_standing {
	WT_STANDING_KNOWN = 1,     /**< a session has looked */
	WT_STANDING_NO_CALLS = 2,  /**< a system call may kill: write without calls */
	WT_STANDING_NO_MEMORY = 4, /**< memory is short where it would be charged: take none */
	WT_STANDING_NO_CLOCK = 8,  /**< a read of the CPU's counter may also kill (strict mode forbids it) */
};

/** The place of the word, and the tag that it has when it belongs to this process: tag << 8 | enum
 * wt_standing. */
struct wt_standing_entry {
	const volatile uint64_t *word;
	uint64_t tag;
};

/** The entry of this process; never NULL, and its target stays. Set when a process enters a table. */
extern const struct wt_standing_entry *wt_standing_entry;

/** The standing that the process found out itself when it registered. It is in force until a session has
 * looked. */
extern unsigned wt_standing_at_first;

/** NO_CALLS and NO_CLOCK, announced by the program or found out. Bits are added and never removed; children
 * of fork inherit them. */
extern unsigned wt_standing_told;

/** enum wt_standing; KNOWN when a session has looked. Any thread, any signal handler; no system call. */
static inline unsigned wt_standing(void)
{
	const struct wt_standing_entry *place = __atomic_load_n(&wt_standing_entry, __ATOMIC_ACQUIRE);
	unsigned told = __atomic_load_n(&wt_standing_told, __ATOMIC_RELAXED);
	uint64_t word = *place->word;

	return (word >> 8 == place->tag ? (unsigned)(word & 0xff) : wt_standing_at_first) | told;
}

static inline bool wt_may_read_clock(void)
{
	return !(wt_standing() & WT_STANDING_NO_CLOCK);
}

static inline bool wt_may_call(void)
{
	return !(wt_standing() & WT_STANDING_NO_CALLS);
}

static inline bool wt_may_take_memory(void)
{
	return !(wt_standing() & (WT_STANDING_NO_CALLS | WT_STANDING_NO_MEMORY));
}

/** The wait after a refusal: first a millisecond, then twice as long each time, at most a second. */
struct wt_patience {
	uint64_t due; /**< session clock; 0: no refusal yet */
	uint64_t ns;
};

/** Is it time to try? */
static inline bool wt_patience_over(const struct wt_patience *patience)
{
	uint64_t due = __atomic_load_n(&patience->due, __ATOMIC_RELAXED);

	return !due || wt_clock_now() >= due;
}

/** Is there stack enough below the caller for a try that takes some 3 KiB? Set by the layer that knows the
 * stacks of threads; NULL: always. Any thread, any signal handler; keeps errno. */
extern bool (*wt_has_stack)(void);

/** As wt_patience_over(), for tries that take much stack. The first try is always made. When it has failed,
 * later events may come from a coroutine of 2 KiB, which has no room for another try. */
static inline bool wt_patience_over_with_stack(const struct wt_patience *patience)
{
	bool (*has_stack)(void) = __atomic_load_n(&wt_has_stack, __ATOMIC_RELAXED);

	return !__atomic_load_n(&patience->due, __ATOMIC_RELAXED) ||
	       (wt_patience_over(patience) && (!has_stack || has_stack()));
}

/** A try has ended. Threads that come here together may wait a little longer or less. */
static inline void wt_patience_note(struct wt_patience *patience, bool refused)
{
	uint64_t ns = __atomic_load_n(&patience->ns, __ATOMIC_RELAXED) * 2;

	if (!refused && !ns)
		return;
	ns = ns < 1000000 ? 1000000 : ns > 1000000000 ? 1000000000 : ns;
	__atomic_store_n(&patience->ns, refused ? ns : 0, __ATOMIC_RELAXED);
	__atomic_store_n(&patience->due, refused ? wt_clock_now() + ns : 0, __ATOMIC_RELAXED);
}

#endif
