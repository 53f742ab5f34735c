/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Names processes, threads and images: follows processes, threads and images through the proc_thread and
 * loader events.
 *
 * Events must come in time order; then, at any moment, a pid names the process that had it at that moment and
 * an address the image that lay there.
 *  - fork: the child has its parent's images and name;
 *  - exec: the process loses its images and gets a new name;
 *  - exit: the task can still be found for a short grace (tasks.h);
 *  - a pid used again is a new process: identity is pid + start time;
 *  - rundown: a task that is known already is not news, but its missing fields are filled in.
 * A task that no event announced is looked up in /proc, and named "?" when it no longer exists.
 * Single-threaded.
 */
#ifndef CONSUMERS_RECORD_IDENTITY_H
#define CONSUMERS_RECORD_IDENTITY_H

#include "consumers/record/map_shares.h"
#include "consumers/record/mounts.h"
#include "consumers/record/owners.h"
#include "consumers/record/roots.h"
#include "consumers/record/task_probe.h"
#include "consumers/record/tasks.h"

/** Processes that are remembered for being read again; any further ones are not remembered. */
#define WT_IDENTITY_MISSED 64

struct wt_identity {
	struct wt_image_set images;
	struct wt_tasks tasks;
	struct wt_space *kernel; /**< the kernel's half of the addresses, shared by all */
	uint64_t doubts;         /**< number of times that loader events were lost */
	bool names_lost;         /**< names of threads were lost: a program may have begun without an event */
	uint32_t missed[WT_IDENTITY_MISSED]; /**< processes with mappings held back */
	uint32_t n_missed;
	uint32_t counting;       /**< process whose threads are being reported again; 0: none */
	uint64_t counting_from;  /**< since when */
	uint64_t counting_doubt; /**< the doubts then */
	bool watches_writes;     /**< writable memory of files is reported (wt_identity_writable) */
	bool watches_moves;      /**< whose memory of files was moved is known (wt_identity_moved) */
	uint64_t writes_from;    /**< such reports were lost until then */
	bool probing;            /**< unknown pids are looked up in /proc */
	struct wt_owners owners;
	struct wt_map_shares shares; /**< begun where processes of other users are met */
	struct wt_task_probe probe;
	struct wt_mounts mounts; /**< finds files that are mapped again */
	struct wt_roots roots;   /**< of processes that see other files than the recorder */
};

/** The result for one event. */
enum wt_news {
	WT_NEWS = 0,          /**< new: belongs in the log */
	WT_NEWS_KNOWN = 1,    /**< a rundown of something known: a duplicate */
	WT_NEWS_LEFT_OUT = 2, /**< a mapping beyond its user's share (map_shares.h) */
	WT_NEWS_LOST = -1,    /**< could not be remembered: no memory, or the bound is reached */
};

/** bound: bytes for all objects here. Returns -1 when memory is out. */
int wt_identity_init(struct wt_identity *identity, uint64_t bound);
void wt_identity_deinit(struct wt_identity *identity);

/** Takes a proc_thread event; kind is enum wt_proc_event. WT_PROC_STOP and WT_THREAD_STOP bury the task: ask
 * for its name before the call. */
enum wt_news wt_identity_proc(struct wt_identity *identity, uint16_t kind,
			      const struct wt_proc_payload *payload, uint64_t time);
/** Takes a loader event of that time; kind is enum wt_loader_event. */
enum wt_news wt_identity_image(struct wt_identity *identity, uint16_t kind,
			       const struct wt_image_payload *payload, uint64_t time);

/** The process has private memory of a file that it may write to from that time on. */
void wt_identity_writable(struct wt_identity *identity, const struct wt_image_payload *payload,
			  uint64_t time);
/** Private memory of files is moved in the process's memory. */
void wt_identity_moved(struct wt_identity *identity, uint32_t pid);
/** Finds the first part of the process's memory in [address, end) that has a file's bytes. Its path lives as
 * long as the mapping. */
bool wt_identity_files(const struct wt_identity *identity, uint32_t pid, uint64_t address, uint64_t end,
		       struct wt_image_payload *ret);
/** Such reports were lost, up to that time. */
void wt_identity_lose_writes(struct wt_identity *identity, uint64_t until);

/** Finds the parts of executable memory of a file that could be written to (writes.h). The rest has the
 * file's bytes. False: reports of writable memory may be missing, and nothing is known about the rest. */
bool wt_identity_untouched(const struct wt_identity *identity, const struct wt_image_payload *payload,
			   struct wt_writes_part *here, struct wt_writes_part *elsewhere);

/** Finds the processes that share the memory of the process for which this mapping was reported; they have
 * mapped the image, too. Where sharing is uncertain and the process has something else at the address, the
 * address becomes unknown in that process from then on. */
void wt_identity_sharers(struct wt_identity *identity, const struct wt_image_payload *payload, uint64_t time,
			 struct wt_sharers *ret);

/** Loader events were lost: the mappings of every process are in doubt until it begins a program or its
 * mappings are run down again. */
void wt_identity_doubt(struct wt_identity *identity);
/** Only names of threads and beginnings of programs were lost. From now on an unannounced mapping of a
 * program's vdso means that a program began; then only that process's mappings are in doubt. For programs
 * without a vdso, all mappings may be in doubt. */
void wt_identity_doubt_names(struct wt_identity *identity);
/** The process maps a vdso: a program begins, with or without an event of its own. */
void wt_identity_vdso(struct wt_identity *identity, struct wt_process *process, uint64_t time);
/** Asks the kernel once more for the process's user where that user would have no share (map_shares.h),
 * because the process may have changed its ids without an event. Costs a read of a file in /proc. */
void wt_identity_ask_owner(struct wt_identity *identity, struct wt_process *process);
/** A loader event of the process, of that time, was held back: its mappings are in doubt until it begins a
 * program or is run down at a later time. */
void wt_identity_miss(struct wt_identity *identity, struct wt_process *process, uint64_t time);
/** Calls wt_identity_miss for every process that shares, or may share, the process's memory. */
void wt_identity_miss_all(struct wt_identity *identity, struct wt_process *process, uint64_t time);
/** Returns the next process that was given to wt_identity_miss and is still in doubt; 0: none is left. Each
 * process is returned once. */
uint32_t wt_identity_next_missed(struct wt_identity *identity);
/** Returns the process's mappings, or NULL while they are in doubt: a new mapping may lie where an old one is
 * recorded. */
static inline struct wt_space *wt_identity_space(const struct wt_identity *identity,
						 const struct wt_process *process)
{
	return process->sure == identity->doubts ? process->space : NULL;
}

/** True when exactly the live threads of the process are known, so that the end of the last one is the
 * process's end. After a loss this becomes true again when the threads are run down or the process begins a
 * program. */
static inline bool wt_identity_counts(const struct wt_identity *identity, const struct wt_process *process)
{
	return !identity->doubts || process->counted == identity->doubts;
}

/** All threads of the process that was run down last have been reported; the next event is of another
 * process. */
void wt_identity_end_count(struct wt_identity *identity, uint64_t time);

/** Returns the thread that an event at this time belongs to. The thread is made up when no event announced
 * it. NULL: unknown (an exiting task without ids, or no memory). The pointer is valid until the next call of
 * any function here. */
struct wt_thread *wt_identity_thread(struct wt_identity *identity, uint32_t pid, uint32_t tid, uint64_t time);

/** Returns the process with this pid, made up from /proc when no event announced it. NULL: pid UINT32_MAX, or
 * no memory. */
struct wt_process *wt_identity_process(struct wt_identity *identity, uint32_t pid);

/** Bytes of all these objects. */
static inline size_t wt_identity_bytes(const struct wt_identity *identity)
{
	return wt_tasks_bytes(&identity->tasks);
}

#endif
