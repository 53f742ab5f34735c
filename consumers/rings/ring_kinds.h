/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Which kind a record's (provider number, event index) is, and how many events each provider has produced.
 *
 * Numbers belong to one user's directory (tracecore/enable): one table per directory. A number that is not in
 * the table is asked for once more: programs register while the session reads. One thread.
 */
#ifndef CONSUMERS_RINGS_RING_KINDS_H
#define CONSUMERS_RINGS_RING_KINDS_H

#include "tracecore/base/err.h"
#include "tracecore/base/intern.h"
#include "tracecore/event.h"

/** A provider as the rings of one directory know it. */
struct wt_ring_provider {
	uint32_t number;
	uint32_t first_kind, n_events;
	const char *name; /**< borrowed from the kinds' provider */
	/** Events taken from rings, and lost in them and reported; by CPU, the last is for those without.
	 * Owned.
	 */
	uint64_t *taken, *lost;
};

/** Zeroed but for n_cpus, learn and ctx is a valid empty table. */
struct wt_ring_kinds {
	struct wt_intern numbers;       /**< number to index in list */
	struct wt_ring_provider **list; /**< owned; numbers.count of them, which stay where they are */
	uint32_t cap;
	uint32_t n_cpus; /**< possible CPUs; larger numbers count as none */
	uint32_t last;   /**< index found last */
	/** Looks whether the provider has registered meanwhile and adds it; failures are its own business.
	 * May be NULL. */
	void (*learn)(void *ctx, uint32_t number);
	/** A process writes whose events were not seen just before; its next event has that time. May be
	 * NULL. */
	void (*seen)(void *ctx, uint32_t pid, uint64_t time);
	/** A process walked its stack without unwind tables, or came to code it has none for. Called for each
	 * such event. May be NULL. */
	void (*lacking)(void *ctx, uint32_t pid);
	void *ctx; /**< of all */
};

/** Adds a provider whose events are the kinds from first_kind on. A number that is there already is left
 * alone. */
int wt_ring_kinds_add(struct wt_ring_kinds *kinds, uint32_t number, const struct wt_provider *provider,
		      uint32_t first_kind, struct wt_err *err);
/** NULL: nobody of that number is wanted here. Valid until deinit. */
struct wt_ring_provider *wt_ring_kinds_find(struct wt_ring_kinds *kinds, uint32_t number);
/** As wt_ring_kinds_find, without asking whether the provider has registered meanwhile. */
struct wt_ring_provider *wt_ring_kinds_known(struct wt_ring_kinds *kinds, uint32_t number);
/** n events more of that provider, on that CPU. */
static inline void wt_ring_kinds_take(const struct wt_ring_kinds *kinds, struct wt_ring_provider *provider,
				      uint32_t cpu, uint32_t n)
{
	provider->taken[cpu < kinds->n_cpus ? cpu : kinds->n_cpus] += n;
}
/** count events of it were lost there. */
static inline void wt_ring_kinds_lose(const struct wt_ring_kinds *kinds, struct wt_ring_provider *provider,
				      uint32_t cpu, uint64_t count)
{
	provider->lost[cpu < kinds->n_cpus ? cpu : kinds->n_cpus] += count;
}
void wt_ring_kinds_deinit(struct wt_ring_kinds *kinds);

#endif
