/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The turns of the threads of a log (wait_machine.h) as events, in one pass over its switches and wakes.
 *
 * Each segment gets one more kind of events, "wait" of provider cswitch. Its fields are waited, running,
 * ready, blocked, unknown and life (ns), waits (1: the thread was to block), open (1: the wait reaches over
 * an end of the record or the window), kind, ready_by, certainty, left_as (the state in which the thread left
 * its CPU), waker, waker_process, waker_tid, waker_context, waker_source, and lock, owner, owner_read (ns
 * since the log began) and owner_is of a lock that was read while the thread waited for it. The time is the
 * turn's beginning, the thread the one that waited, the stack where it waits, and the CPU the one that it ran
 * on afterwards. Batches come as turns end. Memory is that of threads, stacks and one batch.
 */
#ifndef CONSUMERS_ANALYSIS_WAIT_ROWS_H
#define CONSUMERS_ANALYSIS_WAIT_ROWS_H

#include "consumers/analysis/wait_losses.h"
#include "consumers/model/file.h"

enum { WT_WAIT_MAPS = 7 };

struct wt_wait_rows {
	struct wt_view_file *file; /**< borrowed */
	struct wt_event_desc event;
	struct wt_field *fields; /**< owned */
	struct wt_valmap maps[WT_WAIT_MAPS];
	struct wt_wait_losses losses;
	struct wt_wait_segment {
		const struct wt_log_segment *real;
		struct wt_log_segment shadow;
		struct wt_wait_task {
			uint32_t tid, row;
			uint64_t start;
		} * tasks;      /**< threads in order; owned */
		uint8_t *roles; /**< by kind; owned */
		struct wt_wait_columns {
			/** Fields by what they mean; -1: none. */
			int tid, other, state, preempted, function, new_priority, old_priority, lock, owner,
				owner_is;
		} * columns;      /**< by kind; owned */
		uint8_t *kinds;   /**< by stack: its kind and 1; 0: not looked up; owned */
		uint8_t *sources; /**< by stack of a wake: twice its source, 1 more where it was sent, and 1;
				     owned */
	} * segments;             /**< as in file; owned */
	uint32_t n_segments;

	/* to be set after init */
	uint64_t from, to; /**< the window; to 0: no end */
	struct wt_listener listener;
	/** NULL: all fields. As wt_log_filter.need, of shadows and their kind. */
	void (*need)(void *ctx, const struct wt_log_segment *segment, uint32_t kind, struct wt_log_need *ret);
	void *need_ctx;

	/* after a scan */
	struct wt_wait_counts counts;
	struct wt_wait_shadow {
		uint64_t turns, running; /**< of the recorder's own threads; ns */
	} shadow;
	uint64_t first, last; /**< the switches and wakes of the log */
	uint32_t blind;       /**< CPUs whose idle thread is not traced */
	bool wakes;           /**< the log has wakes */
	bool own;             /**< without rights: only its own threads are in the log, without wakes */
	bool only_told;       /**< only processes of its own choice are in it */
};

/** Takes over a view of a log to which nothing has been asked yet: its segments get the kind. -1:
 * WT_ERR_NOTFOUND where the log has no switches. Undo with wt_wait_rows_deinit, also after a failure, once
 * the file is not used any more. */
int wt_wait_rows_init(struct wt_wait_rows *rows, struct wt_view_file *file, struct wt_err *err);
void wt_wait_rows_deinit(struct wt_wait_rows *rows);

/** Calls fn with batches, as wt_log_scan does. May be called again. */
int wt_wait_rows_scan(struct wt_wait_rows *rows,
		      int (*fn)(void *ctx, const struct wt_log_batch *batch, struct wt_err *err), void *ctx,
		      struct wt_err *err);

#endif
