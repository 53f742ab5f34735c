/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Who saw a program begin, or a process end, may know more of it than the event that tells so.
 */
#ifndef TRACECORE_LIVES_H
#define TRACECORE_LIVES_H

#include <stdbool.h>
#include <stdint.h>

#include "tracecore/base/str.h"

enum wt_life_news { WT_LIFE_EXEC = 1, WT_LIFE_EXIT = 2 };

/** What is known of one exec, or one end. Strings are good until the next question. */
struct wt_life {
	struct wt_str file;         /**< EXEC: as exec was given it; may be relative, or a script's */
	struct wt_str command_line; /**< EXEC: arguments, each ended by a zero */
	bool cut;                   /**< EXEC: the arguments are longer */
	bool last;                  /**< EXEC: no later one of the process is known yet */
	uint32_t inside_pid;        /**< in its own pid namespace */
	uint32_t mount_namespace;   /**< its number; 0 unknown */
	uint64_t cgroup;            /**< id of the control group; 0 unknown */
	int32_t exit_code;          /**< EXIT */
	uint32_t exit_signal;       /**< EXIT: that ended it; 0: none */
};

/** What is known of the next exec, or of the end, of process pid that was reported at that time (session
 * clock) under that name. False: nothing. In the order of the events; each is asked for once. */
typedef bool wt_life_fn(void *ctx, enum wt_life_news news, uint32_t pid, uint64_t time, struct wt_str name,
			struct wt_life *ret);

#endif
