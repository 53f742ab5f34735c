/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Who is who: follows processes, threads and images through the proc_thread and loader events.
 *
 * Events must come in time order; then, at any moment, a pid names the process that had it at that moment and
 * an address the image that lay there.
 *  - fork: the child has its parent's images and name;
 *  - exec: the images are gone, the name is new;
 *  - exit: the task stays to be found for a short grace (tasks.h);
 *  - a pid used again is a new process: identity is pid + start time;
 *  - rundown: whoever is known already is not news, but what was missing of him is filled in.
 * A task nobody announced is looked up in /proc and named "?" when it is gone. Single-threaded.
 */
#ifndef CONSUMERS_RECORD_IDENTITY_H
#define CONSUMERS_RECORD_IDENTITY_H

#include "consumers/record/map_shares.h"
#include "consumers/record/mounts.h"
#include "consumers/record/owners.h"
#include "consumers/record/roots.h"
#include "consumers/record/task_probe.h"
#include "consumers/record/tasks.h"

/** Processes that are remembered for being read again; of the others that is not known. */
#define WT_IDENTITY_MISSED 64

struct wt_identity {
	struct wt_image_set images;
	struct wt_tasks tasks;
	struct wt_space *kernel;             /**< what lies in the kernel's half, the same for all */
	uint64_t doubts;                     /**< times that loader events were lost */
	bool names_lost;                     /**< names were: a program may have begun without a word */
	uint32_t missed[WT_IDENTITY_MISSED]; /**< processes of which mappings were kept back; n_missed of them
					      */
	uint32_t n_missed;
	uint32_t counting;       /**< process whose threads are being reported again; 0: none */
	uint64_t counting_from;  /**< since when */
	uint64_t counting_doubt; /**< the doubts then */
	bool probing;            /**< unknown pids are looked up in /proc */
	struct wt_owners owners;
	struct wt_map_shares shares; /**< begun where others' processes are met */
	struct wt_task_probe probe;
	struct wt_mounts mounts; /**< where files are that are mapped again */
	struct wt_roots roots;   /**< of processes that see other files than the recorder */
};

/** What an event said. */
enum wt_news {
	WT_NEWS = 0,          /**< something new: belongs in the log */
	WT_NEWS_KNOWN = 1,    /**< a rundown of what is known: a double */
	WT_NEWS_LEFT_OUT = 2, /**< a mapping beyond its user's share (map_shares.h) */
	WT_NEWS_LOST = -1,    /**< could not be remembered: memory or its bound */
};

/** bound: bytes for everything here. -1: no memory. */
int wt_identity_init(struct wt_identity *identity, uint64_t bound);
void wt_identity_deinit(struct wt_identity *identity);

/** A proc_thread event; kind is enum wt_proc_event. WT_PROC_STOP and WT_THREAD_STOP bury: what names the task
 * of that very event should be asked before. */
enum wt_news wt_identity_proc(struct wt_identity *identity, uint16_t kind,
			      const struct wt_proc_payload *payload, uint64_t time);
/** A loader event of that time; kind is enum wt_loader_event. */
enum wt_news wt_identity_image(struct wt_identity *identity, uint16_t kind,
			       const struct wt_image_payload *payload, uint64_t time);

/** Processes that have the memory of the one that this mapping of that time was reported of: they have mapped
 * it, too. Where that is not known of one, and it has something else there, it has nothing known there from
 * now on. */
void wt_identity_sharers(struct wt_identity *identity, const struct wt_image_payload *payload, uint64_t time,
			 struct wt_sharers *ret);

/** Loader events were lost: what any process has mapped is in doubt until it begins a program or is run down
 * again. */
void wt_identity_doubt(struct wt_identity *identity);
/** Names of threads and beginnings of programs were lost, nothing else. From now on a program's vdso that
 * nobody announced is the word of its beginning: then what that process has mapped is in doubt, and only
 * that. Where programs have none, it is all that may be. */
void wt_identity_doubt_names(struct wt_identity *identity);
/** The process maps a vdso: a program begins, with an event of it or without. */
void wt_identity_vdso(struct wt_identity *identity, struct wt_process *process, uint64_t time);
/** Where the process's user would have no share (map_shares.h) the kernel is asked once more who it is: it
 * may have taken other ids without a word. Costs a file of /proc. */
void wt_identity_ask_owner(struct wt_identity *identity, struct wt_process *process);
/** A loader event of the process, of that time, was kept back: what it has mapped is in doubt until it begins
 * a program or is run down later than that. */
void wt_identity_miss(struct wt_identity *identity, struct wt_process *process, uint64_t time);
/** The same of whoever has, or may have, its memory as well. */
void wt_identity_miss_all(struct wt_identity *identity, struct wt_process *process, uint64_t time);
/** The next process that wt_identity_miss was given, and that is still in doubt; 0: no more. Each is given
 * once. */
uint32_t wt_identity_next_missed(struct wt_identity *identity);
/** What the process has mapped; NULL while that is in doubt: a new mapping may lie where an old one is known.
 */
static inline struct wt_space *wt_identity_space(const struct wt_identity *identity,
						 const struct wt_process *process)
{
	return process->sure == identity->doubts ? process->space : NULL;
}

/** All threads of the process that live are known, and no others: its end is known from its last thread's.
 * After a loss that is so again once they were run down, or it begins a program. */
static inline bool wt_identity_counts(const struct wt_identity *identity, const struct wt_process *process)
{
	return !identity->doubts || process->counted == identity->doubts;
}

/** The threads of the process that was run down last have all been reported: the next event tells of others.
 */
void wt_identity_end_count(struct wt_identity *identity, uint64_t time);

/** The thread an event at this time belongs to; made up when nobody has announced it. NULL: unknown (an
 * exiting task that has no ids any more, or no memory). The pointer is good until the next call of anything
 * here. */
struct wt_thread *wt_identity_thread(struct wt_identity *identity, uint32_t pid, uint32_t tid, uint64_t time);

/** The process that has this pid, made up from what /proc says when nobody has announced it. NULL: pid
 * UINT32_MAX, or no memory. */
struct wt_process *wt_identity_process(struct wt_identity *identity, uint32_t pid);

/** Bytes of all this. */
static inline size_t wt_identity_bytes(const struct wt_identity *identity)
{
	return wt_tasks_bytes(&identity->tasks);
}

#endif
