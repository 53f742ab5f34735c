/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Facts about the beginning of a program, or the end of a process, that the kernel's event does not contain.
 */
#ifndef TRACECORE_LIVES_H
#define TRACECORE_LIVES_H

#include <stdbool.h>
#include <stdint.h>

#include "tracecore/base/str.h"

enum wt_life_news { WT_LIFE_EXEC = 1, WT_LIFE_EXIT = 2 };

/** The known facts about one exec or one end. Strings are valid until the next question. */
struct wt_life {
	struct wt_str file;         /**< EXEC: as passed to exec; may be a relative path, or that of a
				     * script */
	struct wt_str command_line; /**< EXEC: arguments, each ended by a zero */
	bool cut;                   /**< EXEC: the arguments are longer */
	bool last;                  /**< EXEC: no later exec of the process is known yet */
	uint32_t inside_pid;        /**< in its own pid namespace */
	uint32_t mount_namespace;   /**< its number; 0 unknown */
	uint64_t cgroup;            /**< id of the control group; 0 unknown */
	int32_t exit_code;          /**< EXIT */
	uint32_t exit_signal;       /**< EXIT: the signal that ended it; 0: none */
};

/** Gives the facts about the exec or the end that was reported for process pid at that time (session clock)
 * with that name. False: nothing is known. The calls come in the order of the events, one call for each. */
typedef bool wt_life_fn(void *ctx, enum wt_life_news news, uint32_t pid, uint64_t time, struct wt_str name,
			struct wt_life *ret);

#endif
