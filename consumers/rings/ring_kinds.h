/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Maps a record's (provider number, event index) to a kind, and counts the events of each provider.
 *
 * Numbers belong to one user's directory (tracecore/enable): one table per directory. An unknown number is
 * looked up once more, because programs register while the session reads. One thread.
 */
#ifndef CONSUMERS_RINGS_RING_KINDS_H
#define CONSUMERS_RINGS_RING_KINDS_H

#include "tracecore/base/err.h"
#include "tracecore/base/intern.h"
#include "tracecore/event.h"

/** A provider in the rings of one directory. */
struct wt_ring_provider {
	uint32_t number;
	uint32_t first_kind, n_events;
	const char *name; /**< borrowed from the kinds' provider */
	/** By CPU, the last for events without one: events taken from rings; events lost in rings and
	 * reported. Owned. */
	uint64_t *taken, *lost;
};

/** A struct that is zeroed except for n_cpus, learn and ctx is a valid empty table. */
struct wt_ring_kinds {
	struct wt_intern numbers;       /**< number to index in list */
	struct wt_ring_provider **list; /**< owned; numbers.count of them, which keep their addresses */
	uint32_t cap;
	uint32_t n_cpus; /**< possible CPUs; larger numbers count as none */
	uint32_t last;   /**< index found last */
	/** Looks whether the provider has registered in the meantime and adds it; the callback handles
	 * failures itself. May be NULL. */
	void (*learn)(void *ctx, uint32_t number);
	/** Called when a process writes that was not the last one seen. May be NULL. */
	void (*seen)(void *ctx, uint32_t pid);
	/** Called for each event of a process that walked its stack without unwind tables, or through code
	 * without a table. May be NULL. */
	void (*lacking)(void *ctx, uint32_t pid);
	void *ctx; /**< of all */
};

/** Adds a provider whose events are the kinds from first_kind on. A number in the table is left alone. */
int wt_ring_kinds_add(struct wt_ring_kinds *kinds, uint32_t number, const struct wt_provider *provider,
		      uint32_t first_kind, struct wt_err *err);
/** Finds the provider. NULL: no provider of that number is wanted here. Valid until deinit. */
struct wt_ring_provider *wt_ring_kinds_find(struct wt_ring_kinds *kinds, uint32_t number);
/** Like wt_ring_kinds_find, without looking up new registrations. */
struct wt_ring_provider *wt_ring_kinds_known(struct wt_ring_kinds *kinds, uint32_t number);
/** Counts n more events of that provider on that CPU. */
static inline void wt_ring_kinds_take(const struct wt_ring_kinds *kinds, struct wt_ring_provider *provider,
				      uint32_t cpu, uint32_t n)
{
	provider->taken[cpu < kinds->n_cpus ? cpu : kinds->n_cpus] += n;
}
/** Counts lost events of that provider on that CPU. */
static inline void wt_ring_kinds_lose(const struct wt_ring_kinds *kinds, struct wt_ring_provider *provider,
				      uint32_t cpu, uint64_t count)
{
	provider->lost[cpu < kinds->n_cpus ? cpu : kinds->n_cpus] += count;
}
void wt_ring_kinds_deinit(struct wt_ring_kinds *kinds);

#endif
