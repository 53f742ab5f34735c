/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Tells whether a mapping of a file that became executable had pages of its own before, from the kernel's
 * reports at mprotect (bpf/made_exec.h), kept until the event of each is taken.
 *
 * written.h looks at a live process; this also answers for one that has ended. Memory is bounded: the oldest
 * records are dropped first, and no mapping of their processes is called clean from then on. Time is
 * bounded, too: only the newest of many records of a process are looked at, and the answer is unknown unless
 * they decide it. One thread.
 */
#ifndef PROVIDERS_PERF_MADE_EXEC_H
#define PROVIDERS_PERF_MADE_EXEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "providers/perf/bpf/made_exec.h"

struct wt_made_exec;

enum wt_made_exec_answer {
	WT_MADE_EXEC_CLEAN = 0,   /**< it had no pages of its own: it began with the file's bytes */
	WT_MADE_EXEC_WRITTEN = 1, /**< it had pages of its own when it became executable */
	WT_MADE_EXEC_UNKNOWN = 2, /**< records are missing, or belong to another event */
};

/** Complete for mappings made since then; ns of the session's clock. NULL: memory is out. */
struct wt_made_exec *wt_made_exec_create(uint64_t since);
/** May be NULL. */
void wt_made_exec_destroy(struct wt_made_exec *made);
/** Takes one record, with its time on the session's clock. */
void wt_made_exec_add(struct wt_made_exec *made, const struct wt_bpf_made_exec *record, uint64_t time);
/** Records were lost: answers about mappings made before that time are unknown. */
void wt_made_exec_lose(struct wt_made_exec *made, uint64_t before);
/** Answers for the mapping in the process's event of that time. All records made before the event must have
 * been added. A repeated query about one event gets the same answer. */
enum wt_made_exec_answer wt_made_exec_ask(struct wt_made_exec *made, uint32_t pid, uint64_t start,
					  uint64_t end, uint64_t time);

#endif
