/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The writer's side of a session's rings, inside the traced program. RING.md is the protocol.
 *
 * A session has one directory of ring files per user id. The first writer that needs a file makes it. There
 * is one file per CPU (shared by the user's processes, or per process when the spec says so), and there are
 * lanes for threads that cannot use the rseq section. Nothing here allocates, locks, or calls back;
 * wt_ring_write may be called from any thread and any signal handler.
 */
#ifndef TRACECORE_RING_RING_H
#define TRACECORE_RING_RING_H

#include <stdbool.h>

#include "tracecore/abi/wt_record.h"
#include "tracecore/abi/wt_ring.h"
#include "tracecore/base/err.h"

/** A session's decisions about its rings. They are stored in the session's row (tracecore/enable) and in
 * every ring file. */
struct wt_ring_spec {
	uint32_t block_bytes; /**< power of two, 8 KiB to 1 MiB */
	uint32_t max_blocks;  /**< cap of one ring; memory is taken as needed, one block at first */
	uint8_t per_process;  /**< 1: a ring per process and CPU */
	uint8_t counter;      /**< 1: ticks are the CPU's counter; 0: CLOCK_MONOTONIC_RAW ns */
	uint64_t generation;  /**< of the session, copied into its ring files; 0: none */
};

/** One piece of a record's content. Pieces are copied one after the other. */
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
	WT_RING_CLOSED = 3,    /**< the session has ended: the event is not counted */
	WT_RING_NO_MEMORY = 4, /**< no ring or lane could be made: the event is lost, and counted where there
				* is a counter */
};

/** A session's rings as seen by one process. In static or mapped memory of the SDK; never moves while a
 * thread may write. */
struct wt_ring_writer;
/** The size of a writer on this machine, bytes (it depends on the number of possible CPUs), and its
 * alignment: 64. */
size_t wt_ring_writer_size(void);

/** Prepares w for the ring directory that is open as dir_fd. The descriptor belongs to the writer from now
 * on, even when the call fails. slot_path names the directory in errors. */
int wt_ring_writer_init(struct wt_ring_writer *w, int dir_fd, const struct wt_ring_spec *spec,
			const char *slot_path, struct wt_err *err);

/** From now on the caller counts the writes that return WT_RING_NO_MEMORY. Without this call they are
 * reported with the first ring that is made, under WT_ABI_LOSS_OTHERS. */
void wt_ring_writer_leave_missed(struct wt_ring_writer *w);

/** The directory's descriptor is not kept if the directory can be opened again under its path base/name; base
 * may be NULL. Before the first write. */
void wt_ring_writer_let_go(struct wt_ring_writer *w, const char *base, const char *name);

/** Maps the memory that the process's first events need, so that they make no system call: the rings of at
 * most 16 CPUs, each with `blocks` blocks while all together are at most 1 MiB, and a lane for this thread
 * where there is no rseq. told: the process will make no calls; then the bound is 8 MiB, and the lane is
 * always taken. A mapping that fails now is tried again when it is needed. Async-signal-safe. */
void wt_ring_writer_prepare(struct wt_ring_writer *w, uint32_t blocks, bool told);

/** Writes one record. This function fills in size, tail, cpu, tick, pid and tid of the head; the caller fills
 * in provider, event and flags. The pieces hold the optional parts and the payload. Async-signal-safe. The
 * first event of a thread or on a CPU may map a ring; no later one makes a system call. errno is kept.
 * Returns enum wt_ring_result; a loss is counted per provider in the ring. */
int wt_ring_write(struct wt_ring_writer *w, const struct wt_abi_record *head,
		  const struct wt_ring_piece *pieces, unsigned n_pieces);

/** Removes the mappings while writers may still use them: every page in the reserved window is replaced by
 * private zeros, and never unmapped. Any thread, once; not from a signal handler. */
void wt_ring_writer_retire(struct wt_ring_writer *w);

#endif
