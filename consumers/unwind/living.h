/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Reads on in the stack of a process that still runs, from the end of a sample's copy (UNWIND.md section 4).
 *
 * The process may write meanwhile, may have exited, or may be another one: the bytes read count only when
 * wt_living_confirm returns true afterwards. Most stacks have changed by then; wt_living_begin sees that with
 * the one system call that reads the first words. Processes of users who are not trusted are read apart
 * (tracecore/base/remote.h). Single-threaded.
 */
#ifndef CONSUMERS_UNWIND_LIVING_H
#define CONSUMERS_UNWIND_LIVING_H

#include "consumers/record/task_probe.h"
#include "consumers/unwind/whole_walks.h"

/** Processes that are watched, a power of two. */
#define WT_LIVING_KNOWN 16u

/** Bytes read at first, at most at a time, and how often for one stack: each piece is twice as large as the
 * one before, since most stacks end soon behind their copy, and each page costs. */
#define WT_LIVING_FIRST  (2u << 10)
#define WT_LIVING_PIECE  (32u << 10)
#define WT_LIVING_PIECES 64

/** Return addresses of the copy that are compared with the stack as it is, and most bytes that they span. */
#define WT_LIVING_WITNESSES 4u
#define WT_LIVING_SPAN      (2u << 10)

/** A process that was the one with that start time when it was looked at, and a descriptor that shows whether
 * it still runs: as long as it runs, no other process has its id. */
struct wt_living_known {
	uint32_t pid;
	uint64_t start_time;
	int fd; /**< owned, and one more; 0: none */
};

/** Whether the process is of a user who is trusted: until when, and while it runs that program. */
struct wt_living_user {
	uint32_t pid, programs;
	uint64_t start_time, until;
	bool trusted;
};

/** A stack's copy, and the walk of the copy alone. All borrowed. */
struct wt_living_copy {
	const struct wt_walk_frames *cut; /**< its result.where: the first address wanted behind the copy */
	const uint8_t *bytes;
	uint64_t at; /**< address of the copy */
	uint32_t size;
};

/** Zeroed is one that watches nothing. */
struct wt_living {
	struct wt_living_known known[WT_LIVING_KNOWN]; /**< by process id */
	struct wt_living_user users[WT_LIVING_KNOWN];  /**< by process id */
	const struct wt_unwind_task *task;             /**< borrowed, while its stack is read */
	uint64_t from;                                 /**< nothing below is read: the copy has it */
	uint64_t at;                                   /**< of the piece */
	uint32_t size;                                 /**< of the piece; 0: none yet */
	uint32_t next;                                 /**< bytes to read as the next one */
	uint32_t pieces;
	uint8_t piece[WT_LIVING_PIECE];
	uint64_t slots[WT_LIVING_WITNESSES]; /**< where the copy has the return addresses to compare */
	uint32_t n_slots;
	uint64_t low, high; /**< of these places; high: behind the last */
	bool unchanged;     /**< they were, after all that was read until now */
	struct wt_task_probe probe;
};

/** Stops watching. */
void wt_living_deinit(struct wt_living *living);
/** Whether the task's process may be asked directly, as is done with each switch. */
bool wt_living_trusts(struct wt_living *living, const struct wt_unwind_task *task);
/** Whether the task's process still runs under its id. */
bool wt_living_is(struct wt_living *living, const struct wt_unwind_task *task);
/** Starts a stack of the task, which is borrowed until the next one starts, and reads the first words behind
 * its copy. False: the stack no longer holds the return addresses that the copy had nearest to its end, or
 * nothing can be read. */
bool wt_living_begin(struct wt_living *living, const struct wt_unwind_task *task,
		     const struct wt_living_copy *copy);
/** The 8 bytes at an address. */
enum wt_walk_read wt_living_read(struct wt_living *living, uint64_t address, uint64_t *ret);

/** True when the process is still the task's, and its stack still holds those return addresses. */
bool wt_living_confirm(struct wt_living *living, const struct wt_living_copy *copy);

#endif
