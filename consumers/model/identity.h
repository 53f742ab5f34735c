/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Processes and threads by identity: number and start time, so that a reused pid never merges two.
 */
#ifndef CONSUMERS_MODEL_IDENTITY_H
#define CONSUMERS_MODEL_IDENTITY_H

#include "tracecore/base/intern.h"
#include "tracecore/logfmt/read/reader.h"

/** Processes or threads by identity. */
struct wt_view_identities {
	struct wt_intern keys; /**< (number, start time) or, without a start time, (number, name | 2^63) */
	struct wt_view_identity {
		uint32_t name; /**< text: the latest one seen */
		uint32_t number;
		uint64_t start;
		bool shared; /**< another identity has the same number */
	} * rows;
	uint32_t cap;
	struct wt_intern first; /**< number -> the id of its first identity, in order of `firsts` */
	uint32_t *firsts;
	uint32_t firsts_cap;
};

/** Id of the process or thread, which has that name from now on; a new one if it was not there. start 0: not
 * known, then the name tells it from others. WT_INTERN_NONE: no memory. */
uint32_t wt_view_identity(struct wt_view_identities *ids, uint32_t number, uint64_t start, uint32_t name);
/** Adds the recorder: its number is one that no process has, UINT32_MAX. WT_INTERN_NONE: no memory. */
uint32_t wt_view_identity_of_self(struct wt_view_identities *ids, uint32_t name);
void wt_view_identities_deinit(struct wt_view_identities *ids);

/** The process of a thread's row. */
static inline const struct wt_log_process *wt_process_of(const struct wt_log_segment *tables, uint32_t thread)
{
	uint32_t process = tables->threads[thread].process;

	return &tables->processes[process < tables->n_processes ? process : 0];
}

#endif
