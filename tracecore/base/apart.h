/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Asks questions that may never be answered, in a separate process and with a deadline.
 *
 * The memory of another process, and files that are reached through it, can lie where a program (FUSE,
 * userfaultfd) or a network answers for them. A process can also hold its own table of mappings locked. A
 * reader then waits, and SIGKILL does not end the wait. Therefore a child does the reading; it is forked for
 * the first question. When an answer does not come within WT_APART_PATIENCE, the answer and the child are
 * given up. This is charged to the user of the process: no process of that user is asked for a while
 * (WT_APART_REST, twice as long each time), unless the user is root or the caller. Each other user has a
 * share of the time spent waiting, and all of them together have a common share. When the common share is
 * used up, only users who have more than half of their own share left are asked about
 * (tracecore/base/user_times.h). So the silence of one user does not silence the others. Each user also has a
 * share of the abandoned children. While too many of these exist, no process is asked. A child that has not
 * had a CPU yet does not count as waiting. A child that works for longer than it may wait is also given up.
 * One thread.
 */
#ifndef TRACECORE_BASE_APART_H
#define TRACECORE_BASE_APART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The time to wait for an answer, ns: about processes of other users; about those of root and of the
 * caller; for a child that gets no CPU. */
#define WT_APART_PATIENCE UINT64_C(200000000)
#define WT_APART_TRUSTED  UINT64_C(1000000000)
#define WT_APART_BUSY     UINT64_C(3000000000)
/** The time for which a user is not asked after an answer failed to come, ns; at most 64 times that. */
#define WT_APART_REST UINT64_C(10000000000)
/** The time that waiting for one user, and for all users together, may cost: per second, and saved up; ns.
 * One missing answer uses up at least half of what one user has saved. */
#define WT_APART_RATE     UINT64_C(10000000)
#define WT_APART_MOST     UINT64_C(400000000)
#define WT_APART_ALL_RATE UINT64_C(20000000)
#define WT_APART_ALL_MOST UINT64_C(800000000)
/** Limits of the number of abandoned children. At the first, no process is asked. At the second, only
 * processes of root and the caller are asked. At the third, other users are asked about only if they have
 * left no child behind. The fourth is the limit of a single user's own. */
#define WT_APART_STRAYS       16
#define WT_APART_USERS_STRAYS 12
#define WT_APART_QUIET_STRAYS 8
#define WT_APART_OWN_STRAYS   2
/** Bytes of a question and of an answer. */
#define WT_APART_IN  8192
#define WT_APART_OUT 65536

/** Runs in the child; in and out belong to the child. Returns the bytes of the answer. A descriptor in *fd
 * (-1) is sent with the answer and closed here. Must use nothing but its arguments: the child has the
 * caller's memory from the moment of the fork, and none of its descriptors. */
typedef size_t wt_apart_fn(const void *in, size_t len, void *out, int *fd);

/** Asks about the process. False: it may not be asked now, or there was no answer. *fd belongs to the
 * caller; fd may be NULL. out: WT_APART_OUT bytes. */
bool wt_apart_ask(uint32_t pid, wt_apart_fn *fn, const void *in, size_t len, void *out, size_t *out_len,
		  int *fd);
/** As wt_apart_ask, about something that belongs to that user. UINT32_MAX: the user is unknown. All unknown
 * users have one share together, and nothing of theirs is asked when it is used up. */
bool wt_apart_ask_of(uint32_t uid, wt_apart_fn *fn, const void *in, size_t len, void *out, size_t *out_len,
		     int *fd);
/** CPU time that the last answer took, ns. */
uint64_t wt_apart_took(void);

#endif
