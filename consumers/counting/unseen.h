/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Detects work of a command that was not counted. The kernel silently removes the counters of a
 * process that executes a program with other rights (set-uid, capabilities), or a program that the user may
 * not read. An additional clock event, which counts from the fork on, is compared with the CPU time of the
 * command at its end.
 */
#ifndef CONSUMERS_COUNTING_UNSEEN_H
#define CONSUMERS_COUNTING_UNSEEN_H

#include <stdint.h>
#include <sys/types.h>

#include "providers/perf/counter.h"

/** Zeroed: nothing is watched. */
struct wt_unseen {
	struct wt_counter *clock; /**< owned */
	uint64_t of_children;     /**< ns used by children that had ended before */
	uint64_t of_command;      /**< ns that the command used before the clock ran */
};

/** The first call comes before the fork, the second after it, while pid waits to exec. If no clock can be
 * opened, nothing is watched. */
void wt_unseen_begin(struct wt_unseen *unseen);
void wt_unseen_watch(struct wt_unseen *unseen, pid_t pid);
/** Call it after the command was waited for. It prints a note if much is missing. counted: ns on CPUs in
 * which the command's events counted.
 */
void wt_unseen_tell(const struct wt_unseen *unseen, const char *name, uint64_t counted);
void wt_unseen_end(struct wt_unseen *unseen);

#endif
