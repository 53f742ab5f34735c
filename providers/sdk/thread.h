/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The library's data for each thread. Initial-exec, so that signal handlers may use it.
 */
#ifndef PROVIDERS_SDK_THREAD_H
#define PROVIDERS_SDK_THREAD_H

#include "providers/sdk/wtrace.h"

/** The knowledge about a thread's own stack. */
enum wt_sdk_stack_known {
	WT_SDK_STACK_UNKNOWN = 0,
	WT_SDK_STACK_KNOWN = 1,
	WT_SDK_STACK_NOT_HAD = 2, /**< its bounds cannot be found */
};

enum wt_sdk_stack_kind {
	WT_SDK_STACK_FIRST = 1,  /**< the kernel made it for the process */
	WT_SDK_STACK_THREAD = 2, /**< a libc made it for a thread */
};

struct wt_sdk_thread {
	struct wtrace_id activity;
	uint32_t has_activity;
	uint16_t stack_known;           /**< enum wt_sdk_stack_known */
	uint16_t stack_kind;            /**< enum wt_sdk_stack_kind; 0: not looked for yet */
	uintptr_t stack_low, stack_end; /**< the thread's stack, from the lowest address it may grow to */
};

extern __thread struct wt_sdk_thread wt_sdk_thread __attribute__((tls_model("initial-exec")));

/** Call before the process forbids itself the calls for drawing: its ids then derive from the last drawn
 * value, and so do its children's. */
void wt_sdk_draw_ids(void);
/** Call before a fork: makes the ids of children differ that draw nothing themselves, even when two get one
 * pid. */
void wt_sdk_ids_before_fork(void);
/** In a child after fork: its ids begin anew. */
void wt_sdk_forget_ids(void);

#endif
