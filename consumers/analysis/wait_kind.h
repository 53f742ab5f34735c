/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What a thread waits for, by the functions of the kernel in the stack with which it left its CPU.
 *
 * The names are those of Linux 5.x to 7.x. A stack without a name that says something is of kind other, and
 * so is every wait of a log without stacks.
 */
#ifndef CONSUMERS_ANALYSIS_WAIT_KIND_H
#define CONSUMERS_ANALYSIS_WAIT_KIND_H

#include "tracecore/kernel_events.h"
#include "tracecore/logfmt/read/reader.h"

/** Values of the field kind: append only. */
enum wt_wait_kind {
	WT_KIND_OF_NO_WAIT = 0,
	WT_KIND_LOCK = 1,
	WT_KIND_TIMER = 2,
	WT_KIND_DISK = 3,
	WT_KIND_NET = 4,
	WT_KIND_PIPE = 5,
	WT_KIND_POLL = 6,
	WT_KIND_CHILD = 7,
	WT_KIND_STOP = 8,
	WT_KIND_FAULT = 9,
	WT_KIND_OTHER = 10,
};

/** Returns the kind that a stack of the kernel shows; state: of the thread, enum wt_thread_state. */
enum wt_wait_kind wt_wait_kind(const struct wt_log_segment *segment, uint32_t stack, uint8_t state);
/** True when the stack shows that the thread gave its CPU away. */
bool wt_wait_yields(const struct wt_log_segment *segment, uint32_t stack);
/** Returns the kind that a function's name says; WT_KIND_OTHER: none. */
enum wt_wait_kind wt_wait_kind_of_name(const char *name, size_t len);

/** Returns the name of the innermost frame, if it is the kernel's, and goes to its caller; NULL: no more. */
const struct wt_str *wt_wait_kernel_name(const struct wt_log_segment *segment, uint32_t *stack);

#endif
