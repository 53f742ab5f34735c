/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The recorder's interface to the walker of user stacks (consumers/unwind).
 */
#ifndef CONSUMERS_RECORD_USER_STACK_H
#define CONSUMERS_RECORD_USER_STACK_H

#include "consumers/record/space.h"
#include "consumers/record/turns.h"
#include "tracecore/event.h"

enum wt_unwound {
	WT_UNWOUND = 0,     /**< *ret holds the whole stack */
	WT_UNWIND_WAIT = 1, /**< a table is being made: ask again with the same event, later */
};

/** Whether to wait for tables. */
enum wt_unwind_when {
	WT_UNWIND_PATIENTLY, /**< wait for tables that are being made */
	WT_UNWIND_NOW,       /**< do without them: frames of their modules end the stack */
};

/** The process that has the stack, at the moment of the event. */
struct wt_unwind_task {
	uint32_t pid, tid;
	uint32_t uid, parent_pid, programs; /**< as in struct wt_generated_task */
	uint64_t start_time;    /**< of the process, session clock; 0: unknown. Pids are used again */
	uint64_t time;          /**< of the event */
	struct wt_space *space; /**< NULL: unknown */
	/** Of a thread that leaves its CPU to wait, else NULL: what is known of its switches, its count with
	 * this one (0: not known), and the recorder's losses. */
	struct wt_turns *turns;
	uint64_t turn;
	uint32_t losses;
};

/** Walks a stack that raw carries as a dump. *ret receives the kernel half as it was, the user half behind
 * it, and how the walk ended; its pointers are valid until the next call. *ret is untouched when the result
 * is to wait. */
typedef enum wt_unwound wt_unwind_fn(void *ctx, const struct wt_unwind_task *task,
				     const struct wt_raw_stack *raw, enum wt_unwind_when when,
				     struct wt_raw_stack *ret);

#endif
