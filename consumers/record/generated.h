/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What the recorder asks of whoever knows generated code: code in memory without a file, which each process
 * has for itself, and which changes while it runs.
 */
#ifndef CONSUMERS_RECORD_GENERATED_H
#define CONSUMERS_RECORD_GENERATED_H

#include "consumers/record/space.h"

/** Whose code it is, at the moment of the event. */
struct wt_generated_task {
	uint32_t pid;        /**< 0: nobody knows */
	uint32_t uid;        /**< UINT32_MAX unknown */
	uint32_t parent_pid; /**< whose user it then has, unless it took other ids */
	uint64_t start_time; /**< of the process, session clock; 0 unknown */
	uint32_t programs;   /**< that it has begun, by exec */
	uint64_t time;       /**< of the event */
};

/** The image that the address in memory without a file is reported as: one of this process, and of what lay
 * there at that time, as far as that is known by now. It lives as long as the recorder. NULL: that of the
 * mapping. */
typedef struct wt_image_entry *wt_generated_fn(void *ctx, const struct wt_generated_task *task,
					       const struct wt_space *space, uint64_t address);

#endif
