/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Many sources, one stream in time order: a binary heap over the sources' next events.
 *
 * Ties go to the source with the lower id, then to the one added first: so a CPU's sideband comes before its
 * samples. The order is as good as the sources': an event that its source hands out late comes late.
 * Single-threaded.
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

/** Adds a source, which stays the caller's. -1: no memory. */
int wt_merge_add(struct wt_merge *merge, struct wt_source *source, struct wt_err *err);
/** Takes the source out; false when it was not in. Refresh before the next top. */
bool wt_merge_remove(struct wt_merge *merge, struct wt_source *source);

/** Refreshes every source and looks at its next event anew. Sources whose allowance is spent rest until
 * another refresh; so do those that use it up meanwhile. */
void wt_merge_refresh(struct wt_merge *merge);
/** The earliest event, or NULL. Valid until pop, refresh or remove. */
static inline const struct wt_event *wt_merge_top(const struct wt_merge *merge)
{
	return merge->heap_n ? &merge->inputs[merge->heap[0]].head : NULL;
}
/** That event's source gives runs and strips; there must be an event. */
static inline bool wt_merge_gives_runs(const struct wt_merge *merge)
{
	return merge->inputs[merge->heap[0]].source->ops->run != NULL;
}
/** Pops that event from its source; there must be one. */
void wt_merge_pop(struct wt_merge *merge);
/** The earliest event and those that may be taken with it: of its source, all before `horizon` and before the
 * next event of every source that gives no runs or is of the same CPU: programs take turns on a CPU, so that
 * runs are long all the same. Runs of different CPUs are not ordered against each other. Empty when
 * that event does not begin a run; only where wt_merge_gives_runs. Then wt_merge_pop, or wt_merge_pop_run. */
void wt_merge_run(const struct wt_merge *merge, uint64_t horizon, struct wt_run *ret);
/** Pops the first n events of that run. */
void wt_merge_pop_run(struct wt_merge *merge, uint32_t n);
/** The strip that the earliest event begins, with the bounds of wt_merge_run. Empty when that event does not
 * begin a strip; only where wt_merge_gives_runs. Then wt_merge_pop_strip. */
void wt_merge_strip(const struct wt_merge *merge, uint64_t horizon, struct wt_strip *ret);
void wt_merge_pop_strip(struct wt_merge *merge, uint32_t n);

/** The first source's event takes so many units more than is usual. */
void wt_merge_burden(struct wt_merge *merge, uint64_t units);
/** Work that the sources of somebody made for all, found at none of them: units that are paid with the rest,
 * by the allowance of one of the sources. True: enough for now. */
bool wt_merge_charge(struct wt_merge *merge, struct wt_allowance *allowance, uint64_t units);
/** The work since the last payment took ns of CPU time: those who are not trusted pay for their part. */
void wt_merge_pay(struct wt_merge *merge, uint64_t ns);

/** Frees the merge, not the sources. */
void wt_merge_deinit(struct wt_merge *merge);

#endif
