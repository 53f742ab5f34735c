/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The books of a recorder: the number of events in the log by kind and CPU, and the losses.
 *
 * An event is booked when it is in the log's pending batch. If the batch is dropped, its events are taken
 * off the books and listed, kind by kind, so that they can be reported as lost. Single-threaded.
 */
#ifndef CONSUMERS_RECORD_LEDGER_H
#define CONSUMERS_RECORD_LEDGER_H

#include "consumers/record/recorder.h"
#include "tracecore/base/intern.h"

/** A power of two. */
#define WT_LEDGER_RECENT 64

/** A zeroed struct is a valid empty ledger. */
struct wt_ledger {
	struct wt_intern rows;            /**< maps {kind, cpu} to an index in counts and pending */
	struct wt_recorder_count *counts; /**< owned; rows.count of them */
	uint64_t *pending;                /**< owned; events of counts[i].events that are not yet on disk */
	uint32_t cap;
	uint32_t recent[WT_LEDGER_RECENT]; /**< by CPU: row of the last event that was looked up */
	uint64_t n_pending;                /**< sum of pending */
	uint64_t from, to;                 /**< times of the first and the latest pending event */
	struct wt_recorder_loss *lost;     /**< owned */
	uint32_t n_lost, cap_lost;
};

/** Makes room to book an event of this kind and CPU where they differ from the CPU's last event. */
int wt_ledger_find_row(struct wt_ledger *ledger, uint32_t kind, uint32_t cpu, uint32_t *row,
		       struct wt_err *err);
/** Makes room to book an event of this kind and CPU; *row is for wt_ledger_book. */
static inline int wt_ledger_row(struct wt_ledger *ledger, uint32_t kind, uint32_t cpu, uint32_t *row,
				struct wt_err *err)
{
	*row = ledger->recent[cpu % WT_LEDGER_RECENT];
	if (*row < ledger->rows.count && ledger->counts[*row].kind == kind && ledger->counts[*row].cpu == cpu)
		return 0;
	return wt_ledger_find_row(ledger, kind, cpu, row, err);
}

/** Books n events in the pending batch, with rising times from...to; n is not 0. */
static inline void wt_ledger_book_run(struct wt_ledger *ledger, uint32_t row, uint32_t n, uint64_t from,
				      uint64_t to)
{
	ledger->counts[row].events += n;
	ledger->pending[row] += n;
	if (!ledger->n_pending || from < ledger->from)
		ledger->from = from;
	if (!ledger->n_pending || to > ledger->to)
		ledger->to = to;
	ledger->n_pending += n;
}

/** Books an event in the pending batch. */
static inline void wt_ledger_book(struct wt_ledger *ledger, uint32_t row, uint64_t time)
{
	wt_ledger_book_run(ledger, row, 1, time, time);
}

/** Call when the pending batch is on disk. */
void wt_ledger_written(struct wt_ledger *ledger);
/** Call when the pending batch is dropped. Calls fn for each kind and CPU that lost events and takes these
 * events off the books. fn returns 0, or -1 with err filled; -1 ends the walk and is returned. Call again
 * for the rest. */
int wt_ledger_dropped(struct wt_ledger *ledger,
		      int (*fn)(void *ctx, const struct wt_recorder_count *lost, struct wt_err *err),
		      void *ctx, struct wt_err *err);

/** Adds a loss to the sums. */
int wt_ledger_lose(struct wt_ledger *ledger, const struct wt_lost_payload *lost, struct wt_err *err);
/** Returns the span of a loss that is not exact, ns; 0 for an exact one. */
uint64_t wt_lost_blind_ns(const struct wt_lost_payload *lost);

void wt_ledger_deinit(struct wt_ledger *ledger);

#endif
