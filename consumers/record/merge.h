/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Merges many sources into one stream in time order: a binary heap over the sources' next events.
 *
 * Ties go to the source with the lower id, then to the one added first: so a CPU's sideband comes before its
 * samples. An event that its source hands out late stays late in the stream. Single-threaded.
 */
#ifndef CONSUMERS_RECORD_MERGE_H
#define CONSUMERS_RECORD_MERGE_H

#include "tracecore/source.h"

/** A zeroed struct is a valid empty merge. */
struct wt_merge {
	struct wt_merge_input {
		struct wt_source *source;
		struct wt_event head; /**< its next event; valid while it is in the heap */
	} * inputs;                   /**< owned; n of them */
	uint32_t *heap;               /**< owned; indexes of inputs that have an event, the earliest first */
	uint32_t n, cap;
	uint32_t heap_n;
	uint64_t work; /**< units of all sources since the last payment */
};

/** Adds a source, which the caller keeps. -1: no memory. */
int wt_merge_add(struct wt_merge *merge, struct wt_source *source, struct wt_err *err);
/** Removes the source; false when it was not in the merge. Refresh before the next top. */
bool wt_merge_remove(struct wt_merge *merge, struct wt_source *source);

/** Refreshes every source and looks at its next event anew. A source whose allowance is spent, now or before
 * the next refresh, rests until another refresh. */
void wt_merge_refresh(struct wt_merge *merge);
/** Returns the earliest event, or NULL. Valid until pop, refresh or remove. */
static inline const struct wt_event *wt_merge_top(const struct wt_merge *merge)
{
	return merge->heap_n ? &merge->inputs[merge->heap[0]].head : NULL;
}
/** True when that event's source gives runs and strips; there must be an event. */
static inline bool wt_merge_gives_runs(const struct wt_merge *merge)
{
	return merge->inputs[merge->heap[0]].source->ops->run != NULL;
}
/** Pops that event from its source; there must be one. */
void wt_merge_pop(struct wt_merge *merge);
/** Returns the earliest event with those that may be taken with it: events of its source, before `horizon`
 * and before the next event of every source that gives no runs or is of the same CPU. Programs take turns on
 * a CPU, so that runs are long nevertheless. Runs of different CPUs are not ordered against each other.
 * Empty when that event does not begin a run; call only where wt_merge_gives_runs. Then call wt_merge_pop or
 * wt_merge_pop_run. */
void wt_merge_run(const struct wt_merge *merge, uint64_t horizon, struct wt_run *ret);
/** Pops the first n events of that run. */
void wt_merge_pop_run(struct wt_merge *merge, uint32_t n);
/** Returns the strip that the earliest event begins, with the bounds of wt_merge_run. Empty when that event
 * does not begin a strip; call only where wt_merge_gives_runs. Then call wt_merge_pop_strip. */
void wt_merge_strip(const struct wt_merge *merge, uint64_t horizon, struct wt_strip *ret);
void wt_merge_pop_strip(struct wt_merge *merge, uint32_t n);

/** Charges the first source's event with that many units beyond the usual. */
void wt_merge_burden(struct wt_merge *merge, uint64_t units);
/** Charges an allowance for work that its sources made for all, and that is found at none of them. The units
 * are paid with the rest. Returns true when that is enough for now. */
bool wt_merge_charge(struct wt_merge *merge, struct wt_allowance *allowance, uint64_t units);
/** The work since the last payment took ns of CPU time; untrusted sources pay for their part. */
void wt_merge_pay(struct wt_merge *merge, uint64_t ns);

/** Frees the merge; the sources stay. */
void wt_merge_deinit(struct wt_merge *merge);

#endif
