/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The writing thread: its pid and tid without a system call, and its lanes.
 *
 * A process image has a token in a page that fork empties (MADV_WIPEONFORK). A thread's cache is valid while
 * it carries that token, so a child's threads notice the fork at their first event. Where the kernel has no
 * such advice, every event asks for the pid, which is slow but correct. Async-signal-safe.
 */
#ifndef TRACECORE_RING_SELF_H
#define TRACECORE_RING_SELF_H

#include <stdbool.h>
#include <stdint.h>

/** The number of signal handlers that may interrupt each other's lane writes. */
#define WT_RING_LEVELS 4
/** The number of writers for which a thread remembers its lanes. Lanes of further writers are looked up in
 * the lanes' file again. */
#define WT_RING_REMEMBERED 8

struct wt_ring_image {
	uint64_t token; /**< 0: just forked */
	uint32_t pid;
};

struct wt_ring_self {
	uint64_t token;
	uint64_t pid_tid; /**< in the form of a record: pid low, tid high */
	uint32_t level;   /**< lane writes in progress on this thread */
	uint32_t next;    /**< entry to be forgotten next */
	struct {
		uint32_t writer;                /**< number of the writer; 0: free */
		uint16_t lanes[WT_RING_LEVELS]; /**< lane + 1; 0: none yet */
	} remembered[WT_RING_REMEMBERED];
};

extern __thread struct wt_ring_self wt_ring_self __attribute__((tls_model("initial-exec")));
extern struct wt_ring_image *wt_ring_image;

/** The current image's token if it has been asked for since the fork; else 0. */
static inline uint64_t wt_ring_token(void)
{
	return __atomic_load_n(&__atomic_load_n(&wt_ring_image, __ATOMIC_RELAXED)->token, __ATOMIC_RELAXED);
}

/** True when the thread's cache is valid. */
static inline bool wt_ring_self_valid(void)
{
	uint64_t token = wt_ring_token();

	return token && wt_ring_self.token == token;
}

/** Makes the cache valid. Where no system call may be made, it uses what the C library knows about the
 * thread. */
void wt_ring_self_renew(void);
/** The process's pid. Makes a system call only where fork cannot be noticed. */
uint32_t wt_ring_pid(void);
/** For the child of a fork by the C library: begins a new image. The pid is the tid of its only thread.
 * Makes no system call where the C library shows the tid. */
void wt_ring_image_begin_in_child(void);
/** The current image's token; 0 where fork cannot be noticed. */
uint64_t wt_ring_image_token(void);
/** Inode of the pid namespace; 0: not known. */
uint64_t wt_ring_pid_namespace(void);

#endif
