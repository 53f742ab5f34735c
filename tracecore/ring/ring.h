/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The writer's side of a session's rings, as it lives in the traced program. RING.md is the protocol.
 *
 * A session has one directory of ring files per user id. Its writers make the files themselves, whoever comes
 * first: one per CPU (shared by the user's processes, or per process when the spec says so), and lanes for
 * threads that cannot use the rseq section. Nothing here allocates, locks, or calls back; wt_ring_write may
 * be called from any thread and any signal handler.
 */
#ifndef TRACECORE_RING_RING_H
#define TRACECORE_RING_RING_H

#include <stdbool.h>

#include "tracecore/abi/wt_record.h"
#include "tracecore/abi/wt_ring.h"
#include "tracecore/base/err.h"

/** What a session decides about its rings; stored in the session's row (tracecore/enable) and in every ring
 * file. */
struct wt_ring_spec {
	uint32_t block_bytes; /**< power of two, 8 KiB to 1 MiB */
	uint32_t max_blocks;  /**< cap of one ring; memory is taken as it is needed, one block at first */
	uint8_t per_process;  /**< 1: a ring per process and CPU */
	uint8_t counter;      /**< 1: ticks are the CPU's counter; 0: CLOCK_MONOTONIC_RAW ns */
	uint64_t generation;  /**< of the session, copied into its ring files; 0: none */
};

/** One piece of a record's content; pieces are copied one behind the other. */
struct wt_ring_piece {
	const void *p;
	uint32_t len; /**< bytes */
};

/** Most pieces of one record. */
#define WT_RING_PIECES 32

enum wt_ring_result {
	WT_RING_OK = 0,
	WT_RING_FULL = 1,      /**< lost, counted in the ring */
	WT_RING_TOO_LARGE = 2, /**< over WT_ABI_RECORD_MAX: lost, counted */
	WT_RING_CLOSED = 3,    /**< the session is over: not an event any more */
	WT_RING_NO_MEMORY =
		4, /**< no ring or lane could be made: lost, counted where there is a counter left */
};

/** A session's rings as one process sees them. In static or mapped memory of the SDK; never moves while a
 * thread may write. */
struct wt_ring_writer;
/** Bytes one needs on this machine (it depends on the number of possible CPUs), and its alignment: 64. */
size_t wt_ring_writer_size(void);

/** Prepares w for the ring directory that dir_fd is open on (kept: the descriptor is the writer's from now
 * on, whatever happens). slot_path names the directory in errors. */
int wt_ring_writer_init(struct wt_ring_writer *w, int dir_fd, const struct wt_ring_spec *spec,
			const char *slot_path, struct wt_err *err);

/** From now on a write that returns WT_RING_NO_MEMORY is the caller's to count; otherwise it is reported with
 * the first ring there is, under WT_ABI_LOSS_OTHERS. */
void wt_ring_writer_leave_missed(struct wt_ring_writer *w);

/** The directory's descriptor is not kept, where it can be opened anew: base/name is where it should be; base
 * may be NULL. Before the first write. */
void wt_ring_writer_let_go(struct wt_ring_writer *w, const char *base, const char *name);

/** Maps what the process's first events need, so that they make no system call: the rings of 16 CPUs at most,
 * each with so many blocks as far as all together are 1 MiB, and a lane for this thread where there is no
 * rseq. told: the process will make no calls: 8 MiB, and the lane in any case. What cannot be had now is
 * tried again when it is needed. Async-signal-safe. */
void wt_ring_writer_prepare(struct wt_ring_writer *w, uint32_t blocks, bool told);

/** Writes one record: head with size, tail, cpu, tick, pid and tid filled in here; provider, event and flags
 * by the caller, whose pieces hold the optional parts and the payload.
 * Async-signal-safe. The first event of a thread or on a CPU may map a ring; no later one makes a system
 * call. errno is kept. Returns enum wt_ring_result; the loss is counted per provider in the ring. */
int wt_ring_write(struct wt_ring_writer *w, const struct wt_abi_record *head,
		  const struct wt_ring_piece *pieces, unsigned n_pieces);

/** Takes the mappings away under writers that may still be in flight: every page is replaced by private
 * zeroes inside the reserved window, never unmapped. Any thread, once; not from a signal handler. */
void wt_ring_writer_retire(struct wt_ring_writer *w);

#endif
