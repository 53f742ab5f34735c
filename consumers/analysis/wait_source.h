/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What ended a wait, by the functions of the kernel in the stack of the wake.
 *
 * An interrupt's part of the stack ends where the interrupt came: below are functions of a thread that has
 * nothing to do with the wake. The names are those of Linux 5.x to 7.x.
 */
#ifndef CONSUMERS_ANALYSIS_WAIT_SOURCE_H
#define CONSUMERS_ANALYSIS_WAIT_SOURCE_H

#include "tracecore/logfmt/read/reader.h"

/** Values of the field waker_source: append only. */
enum wt_wait_source {
	WT_SOURCE_NONE = 0, /**< no wake, or it has no stack */
	WT_SOURCE_TIMER = 1,
	WT_SOURCE_DISK = 2,
	WT_SOURCE_NET = 3,
	WT_SOURCE_OTHER = 4,
};

struct wt_wait_source_found {
	uint8_t source; /**< enum wt_wait_source */
	/** The thread sent to its own machine, and the softirq that its call ran delivered it: the wake is
	 * the thread's. */
	bool sent;
};

struct wt_wait_source_found wt_wait_source(const struct wt_log_segment *segment, uint32_t stack);

#endif
