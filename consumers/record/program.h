/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The program of a process and its surroundings: command line, control group, container. A forked process
 * shares its parent's object until one of them begins another program. An object never changes. One thread.
 */
#ifndef CONSUMERS_RECORD_PROGRAM_H
#define CONSUMERS_RECORD_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "tracecore/kernel_events.h"

struct wt_program_facts {
	uint8_t caught; /**< enum wt_proc_caught: how the command line was caught */
	struct wt_str command_line, cgroup, container;
};

struct wt_program {
	uint32_t refs;
	struct wt_program_facts facts; /**< the strings lie behind this struct */
};

/** Makes a copy, with one reference for the caller. roomy: false cuts a long command line. NULL: no memory.
 */
struct wt_program *wt_program_create(const struct wt_program_facts *facts, bool roomy);
/** Takes a further reference. NULL is fine, also for the functions below. */
struct wt_program *wt_program_share(struct wt_program *program);
void wt_program_put(struct wt_program *program);
/** Bytes of the object with its strings. */
size_t wt_program_bytes(const struct wt_program *program);
/** Returns the facts; for NULL, empty ones. */
const struct wt_program_facts *wt_program_facts(const struct wt_program *program);

#endif
