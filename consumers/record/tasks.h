/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The store of processes and threads, with everything known about them.
 *
 * A process exists as long as it has a thread here; it is made together with its first thread (tid == pid).
 * A thread that ended is buried: it can still be found, because samples of a dying task come late, until its
 * id is used again, WT_TASK_GRACE of trace time has passed, or WT_TASK_GRAVES others were buried after it.
 * Pointers stay valid until the object is dropped or trimmed. Memory is bounded: beyond `bound` nothing is
 * added. Single-threaded.
 */
#ifndef CONSUMERS_RECORD_TASKS_H
#define CONSUMERS_RECORD_TASKS_H

#include "consumers/record/idmap.h"
#include "consumers/record/kin.h"
#include "consumers/record/program.h"
#include "consumers/record/space.h"
#include "consumers/record/turns.h"

/** Bytes of a name that are kept. The kernel's own names have at most 15, those of worker threads up to 63.
 */
#define WT_TASK_NAME   64
#define WT_TASK_GRACE  UINT64_C(1000000000) /**< ns */
#define WT_TASK_GRAVES 8192

struct wt_task_name {
	uint8_t len;
	char text[WT_TASK_NAME]; /**< not zero-ended */
};

struct wt_process {
	uint32_t pid, parent_pid;
	uint64_t start_time; /**< session clock, ns; 0 unknown */
	uint32_t uid, euid;  /**< UINT32_MAX unknown */
	uint32_t claimer; /**< its user at the kernel's last answer, as in events; 0: the kernel was not asked
			   */
	/** Session clock. The ids were read at some moment between the two, or reported at one moment, from
	 * the process or from the parent that passed them on. ids_from 0: unknown. */
	uint64_t ids_from, ids_by;
	uint32_t n_threads; /**< in `threads`, buried ones too */
	uint32_t n_live;    /**< threads that are not buried; 0: the process has ended */
	bool exact_start;   /**< start_time is the moment of the fork, not the rounded time of /proc */
	bool announced;     /**< the log contains, or should contain, its start or rundown event */
	bool elsewhere;     /**< it may see other files than the recorder */
	uint32_t programs;  /**< programs it has begun by exec */
	bool exe_due;       /**< exec was seen: the next file mapped is the executable */
	bool vdso_due;      /**< exec was seen: the kernel is about to map the new program's vdso */
	struct wt_task_name name;
	struct wt_str exe;          /**< owned */
	struct wt_program *program; /**< its program and surroundings; a reference; NULL: unknown */
	uint32_t inside_pid;        /**< pid in its own pid namespace; 0: unknown */
	struct wt_space *space;
	uint64_t sure;     /**< the identity's doubts when all its mappings were known; UINT64_MAX: never */
	uint32_t heard;    /**< number of times the gate was asked about it */
	uint64_t missed;   /**< time of the last mapping that was held back; 0: none */
	uint64_t counted;  /**< the identity's doubts when all its threads were known */
	struct wt_kin kin; /**< processes that may share its memory */
	struct wt_thread *threads;
	struct wt_row row; /**< the interner's */
};

struct wt_thread {
	struct wt_process *process;
	struct wt_thread *prev, *next; /**< in the process */
	uint32_t tid;
	bool dead;
	bool exact_start;
	bool announced;
	struct wt_task_name name;
	uint64_t start_time;
	uint64_t told;                             /**< when it was last reported alive; 0: never */
	uint64_t died;                             /**< while dead: when it was buried */
	struct wt_thread *grave_prev, *grave_next; /**< while dead */
	struct wt_turns turns;
	struct wt_row row;    /**< the interner's */
	uint32_t row_process; /**< process row that `row` refers to */
};

struct wt_tasks {
	struct wt_idmap processes, threads;
	struct wt_thread *first_grave, *last_grave; /**< oldest first */
	uint32_t n_graves;
	uint32_t live_processes, live_threads;
	struct wt_image_set *images; /**< borrowed */
	size_t bytes;                /**< of the objects */
	uint64_t changes; /**< counts threads added and dropped, and other changes noted by users of the store
			   */
	uint64_t bound;   /**< of wt_tasks_bytes */
};

void wt_tasks_init(struct wt_tasks *tasks, struct wt_image_set *images, uint64_t bound);
void wt_tasks_deinit(struct wt_tasks *tasks);

/** NULL when not known. */
struct wt_process *wt_tasks_process(const struct wt_tasks *tasks, uint32_t pid);
struct wt_thread *wt_tasks_thread(const struct wt_tasks *tasks, uint32_t tid);

/** Adds a process with an unknown pid, with its main thread and an empty space. A stale thread of that id is
 * dropped. NULL: no memory, or the bound is reached. */
struct wt_process *wt_tasks_add_process(struct wt_tasks *tasks, uint32_t pid);
/** Adds a thread with an unknown id, named like its process. NULL: no memory, or the bound is reached. */
struct wt_thread *wt_tasks_add_thread(struct wt_tasks *tasks, struct wt_process *process, uint32_t tid);
/** Forgets the thread now, and the process if it was the last thread. */
void wt_tasks_drop_thread(struct wt_tasks *tasks, struct wt_thread *thread);
/** Forgets the process and all its threads now. */
void wt_tasks_drop_process(struct wt_tasks *tasks, struct wt_process *process);
/** The thread has ended; it is kept for a while. A second call does nothing. May trim others, never this one.
 */
void wt_tasks_bury(struct wt_tasks *tasks, struct wt_thread *thread, uint64_t now);
/** Brings a buried thread back to life; does nothing for a live one. */
void wt_tasks_revive(struct wt_tasks *tasks, struct wt_thread *thread);
/** True when a thread was buried longer ago than the grace. */
static inline bool wt_tasks_overdue(const struct wt_tasks *tasks, uint64_t now)
{
	const struct wt_thread *first = tasks->first_grave;

	return first && now > first->died && now - first->died > WT_TASK_GRACE;
}
/** Forgets those. */
void wt_tasks_trim(struct wt_tasks *tasks, uint64_t now);

/** Sets a name from untrusted bytes (cut at WT_TASK_NAME); true when it changed. */
bool wt_task_rename(struct wt_task_name *name, struct wt_str text);
/** Sets the path of the executable; an empty path clears it. False when memory is out. */
bool wt_process_set_exe(struct wt_tasks *tasks, struct wt_process *process, struct wt_str path);
/** Sets the process's program; NULL: unknown. Takes over the caller's reference. */
void wt_process_set_program(struct wt_tasks *tasks, struct wt_process *process, struct wt_program *program);
/** Gives the process the mappings of *from. */
void wt_process_set_space(struct wt_tasks *tasks, struct wt_process *process, struct wt_space *space);

/** Bytes of everything: tasks, maps, images, spaces. */
size_t wt_tasks_bytes(const struct wt_tasks *tasks);

#endif
