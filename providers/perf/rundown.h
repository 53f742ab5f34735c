/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Inside the rundown: emitting events, the kernel's part, one process's maps.
 */
#ifndef PROVIDERS_PERF_RUNDOWN_H
#define PROVIDERS_PERF_RUNDOWN_H

#include "providers/perf/buildid.h"
#include "providers/perf/map_turns.h"
#include "providers/perf/proc_stat.h"
#include "providers/perf/task_regs.h"

struct wt_perf_walk {
	const struct wt_rundown *rundown;
	uint32_t proc_kind, thread_kind, image_kind;
	struct wt_start_clock starts;
	struct wt_build_id vdso;
	struct wt_buf payload, text; /**< work space */
	struct wt_allowance *payer;  /**< pays for reading the mappings; NULL: nobody pays */
	uint64_t images;             /**< reported so far */
	uint32_t waiting_kind;       /**< WT_KIND_NONE: waits are not reported */
	uint8_t *stack;              /**< owned; room for the copy of a stack; NULL: none is wanted */
	struct wt_task_regs regs;    /**< of threads that wait; read with the first stack */
	uint32_t waits, stacks;      /**< reported so far */
	struct wt_last_file {        /**< the file mapped last, of this process */
		uint64_t device, inode;
		char path[256];
		struct wt_build_id id;
	} last;
};

/** Reports the kernel and its modules. Returns 0; -1 when fn wants to end or memory is out. */
int wt_perf_walk_kernel(struct wt_perf_walk *walk, struct wt_err *err);
/** Reports the threads of a process that wait. Their process and its mappings are reported before. */
int wt_perf_walk_waits(struct wt_perf_walk *walk, uint32_t pid, struct wt_err *err);
/** Reports the executable mappings of a process, the first `most` of them. */
int wt_perf_walk_maps(struct wt_perf_walk *walk, uint32_t pid, uint32_t most, struct wt_err *err);

#endif
