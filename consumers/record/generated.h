/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Questions of the recorder about generated code: code in memory without a file, which belongs to one
 * process and changes while the process runs.
 */
#ifndef CONSUMERS_RECORD_GENERATED_H
#define CONSUMERS_RECORD_GENERATED_H

#include "consumers/record/space.h"
#include "tracecore/abi/wt_unwind.h"

/** The process that has the code, at the moment of the event. */
struct wt_generated_task {
	uint32_t pid;        /**< 0: nobody knows */
	uint32_t uid;        /**< UINT32_MAX unknown */
	uint32_t parent_pid; /**< has the process's user, unless the process changed its ids */
	uint64_t start_time; /**< of the process, session clock; 0: unknown */
	uint32_t programs;   /**< programs the process has begun by exec */
	uint64_t time;       /**< of the event */
};

/** Returns the image that stands for an address in memory without a file. The image belongs to this process
 * and to the code that lay there at that time, as far as that is known by now. It lives as long as the
 * recorder. NULL: use the mapping's image. */
typedef struct wt_image_entry *wt_generated_fn(void *ctx, const struct wt_generated_task *task,
					       const struct wt_space *space, uint64_t address);

/** Finds the rule for walking the stack through the code at the address, as the process reported it for the
 * time of the event. False: the process reported no rule. */
typedef bool wt_generated_rule_fn(void *ctx, const struct wt_generated_task *task,
				  const struct wt_space *space, uint64_t address,
				  struct wt_abi_unwind_rule *ret);

#endif
