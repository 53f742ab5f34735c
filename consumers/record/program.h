/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What a process runs, and where: its command line, its control group, its container. Processes made by fork
 * share their parent's until one of them becomes another program. Not changed once made. One thread.
 */
#ifndef CONSUMERS_RECORD_PROGRAM_H
#define CONSUMERS_RECORD_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "tracecore/kernel_events.h"

struct wt_program_facts {
	uint8_t caught; /**< enum wt_proc_caught: the command line */
	struct wt_str command_line, cgroup, container;
};

struct wt_program {
	uint32_t refs;
	struct wt_program_facts facts; /**< strings lie behind this struct */
};

/** A copy, with one reference for the caller. roomy: false cuts a long command line. NULL: memory. */
struct wt_program *wt_program_create(const struct wt_program_facts *facts, bool roomy);
/** Takes a further reference. NULL is fine, as for those below. */
struct wt_program *wt_program_share(struct wt_program *program);
void wt_program_put(struct wt_program *program);
/** Of the object with its strings. */
size_t wt_program_bytes(const struct wt_program *program);
/** Of no program: empty ones. */
const struct wt_program_facts *wt_program_facts(const struct wt_program *program);

#endif
