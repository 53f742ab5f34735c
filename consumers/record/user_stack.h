/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What the recorder asks of whoever walks user stacks for it (consumers/unwind), and what it is answered.
 */
#ifndef CONSUMERS_RECORD_USER_STACK_H
#define CONSUMERS_RECORD_USER_STACK_H

#include "consumers/record/space.h"
#include "tracecore/event.h"

enum wt_unwound {
	WT_UNWOUND = 0,     /**< *ret holds the whole stack */
	WT_UNWIND_WAIT = 1, /**< a table is being made: ask again with the same event, later */
};

/** Whether to wait for tables. */
enum wt_unwind_when {
	WT_UNWIND_PATIENTLY, /**< tables that are being made are waited for */
	WT_UNWIND_NOW,       /**< they are done without: frames of their modules end the stack */
};

/** Whose stack it is, at the moment of the event. */
struct wt_unwind_task {
	uint32_t pid, tid;
	uint64_t start_time;    /**< of the process, session clock; 0 unknown. Pids come again */
	uint64_t time;          /**< of the event */
	struct wt_space *space; /**< NULL: nothing is known of it */
};

/** Walks what raw carries as a dump. *ret gets the kernel half as it was, the user half behind it, and how
 * the walk ended; what it points to is good until the next call. *ret is untouched when it says to wait. */
typedef enum wt_unwound wt_unwind_fn(void *ctx, const struct wt_unwind_task *task,
				     const struct wt_raw_stack *raw, enum wt_unwind_when when,
				     struct wt_raw_stack *ret);

#endif
