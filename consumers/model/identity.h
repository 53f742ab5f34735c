/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Processes and threads by identity: number and start time, so that a reused pid never merges two.
 */
#ifndef CONSUMERS_MODEL_IDENTITY_H
#define CONSUMERS_MODEL_IDENTITY_H

#include "tracecore/base/intern.h"
#include "tracecore/logfmt/read/reader.h"

/** With this bit the second half of a key is a name. */
#define WT_VIEW_BY_NAME (UINT64_C(1) << 63)
/** The key of an identity: number and start time, or number and name where the start time is 0 (unknown). */
static inline struct wt_key wt_view_identity_key(uint32_t number, uint64_t start, uint32_t name)
{
	return (struct wt_key){number, start ? start & ~WT_VIEW_BY_NAME : name | WT_VIEW_BY_NAME};
}

/** Processes or threads by identity. */
struct wt_view_identities {
	struct wt_intern keys; /**< wt_view_identity_key */
	struct wt_view_identity {
		uint32_t name; /**< text: the latest name seen */
		uint32_t number;
		uint64_t start;
		bool shared; /**< another identity has the same number */
	} * rows;
	uint32_t cap;
	struct wt_intern first; /**< number -> the id of its first identity, in order of `firsts` */
	uint32_t *firsts;
	uint32_t firsts_cap;
};

/** Returns the id of the process or thread, which has that name from now on; a new identity gets a new id.
 * start 0: unknown; then the name is part of the key. WT_INTERN_NONE: no memory. */
uint32_t wt_view_identity(struct wt_view_identities *ids, uint32_t number, uint64_t start, uint32_t name);
/** Adds the recorder under the number UINT32_MAX, which no process has. WT_INTERN_NONE: no memory. */
uint32_t wt_view_identity_of_self(struct wt_view_identities *ids, uint32_t name);
void wt_view_identities_deinit(struct wt_view_identities *ids);

/** Returns the process of a thread's row. */
static inline const struct wt_log_process *wt_process_of(const struct wt_log_segment *tables, uint32_t thread)
{
	uint32_t process = tables->threads[thread].process;

	return &tables->processes[process < tables->n_processes ? process : 0];
}

#endif
