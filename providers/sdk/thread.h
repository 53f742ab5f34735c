/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What the library keeps for each thread. Initial-exec, so that signal handlers may touch it.
 */
#ifndef PROVIDERS_SDK_THREAD_H
#define PROVIDERS_SDK_THREAD_H

#include "providers/sdk/wtrace.h"

struct wt_sdk_thread {
	struct wtrace_id activity;
	uint32_t has_activity;
	uint32_t stack_known;           /**< 1: the bounds are right; 2: they cannot be had */
	uintptr_t stack_low, stack_end; /**< the thread's stack: from the lowest address it may grow to */
};

extern __thread struct wt_sdk_thread wt_sdk_thread __attribute__((tls_model("initial-exec")));

/** Before the process forbids itself what drawing takes: its ids go by what was drawn, and so do its
 * children's. */
void wt_sdk_draw_ids(void);
/** Before a fork: children that draw nothing themselves differ, also those that get the same pid. */
void wt_sdk_ids_before_fork(void);
/** In a child after fork: its ids begin anew. */
void wt_sdk_forget_ids(void);

#endif
