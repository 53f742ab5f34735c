/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Asking what may never answer: in a process apart, with a deadline.
 *
 * The memory of another process, and files that it leads to, can lie where a program answers for them (FUSE,
 * userfaultfd) or a network does, and a process can hold its own table of mappings locked: who reads waits,
 * and SIGKILL does not end that. So a child does it, forked when there is something to ask first. An answer
 * that does not come within WT_APART_PATIENCE is given up, and the child with it; that counts for the user of
 * the process that was asked, who is left alone for a while (WT_APART_REST, twice as long each time), unless
 * it is root or the caller's own. What all others make it wait is bounded together. While too many children
 * are left over nobody's are asked. A child that has not had a CPU yet is no child that waits. One thread.
 */
#ifndef TRACECORE_BASE_APART_H
#define TRACECORE_BASE_APART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** How long an answer is waited for; about root and the caller's own; of a child that is kept from running;
 * ns.
 */
#define WT_APART_PATIENCE UINT64_C(200000000)
#define WT_APART_TRUSTED  UINT64_C(1000000000)
#define WT_APART_BUSY     UINT64_C(3000000000)
/** How long a user is left alone for one that did not come; at most 64 times that. ns */
#define WT_APART_REST UINT64_C(10000000000)
/** What all users' may cost together: a second, and saved up; ns. */
#define WT_APART_ALL_RATE UINT64_C(20000000)
#define WT_APART_ALL_MOST UINT64_C(800000000)
/** Users told apart; the others share the last one's. */
#define WT_APART_USERS 16
/** Children that may be left over until nobody is asked, and of all users but root and the caller's own. */
#define WT_APART_STRAYS       16
#define WT_APART_USERS_STRAYS 8
/** Bytes of a question and of an answer. */
#define WT_APART_IN  8192
#define WT_APART_OUT 65536

/** Runs in the child; in and out are its own. Returns the bytes of the answer. A descriptor in *fd (-1) goes
 * with it, and is closed here. Must not rely on anything but its arguments: the child has the caller's memory
 * as it was when it was forked, and none of its descriptors. */
typedef size_t wt_apart_fn(const void *in, size_t len, void *out, int *fd);

/** Asks about the process. False: it is not asked for now, or there was no answer. *fd is the caller's; fd
 * may be NULL. out: WT_APART_OUT bytes. */
bool wt_apart_ask(uint32_t pid, wt_apart_fn *fn, const void *in, size_t len, void *out, size_t *out_len,
		  int *fd);
/** The same about what belongs to that user; UINT32_MAX: to nobody known, who is left alone for nothing but
 * what all cost together. */
bool wt_apart_ask_of(uint32_t uid, wt_apart_fn *fn, const void *in, size_t len, void *out, size_t *out_len,
		     int *fd);
/** CPU time that the last answer took, ns. */
uint64_t wt_apart_took(void);

#endif
