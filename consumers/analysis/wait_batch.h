/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Turns of threads on their way to batches: gathered, sorted by time, and handed over as columns (relay.h).
 */
#ifndef CONSUMERS_ANALYSIS_WAIT_BATCH_H
#define CONSUMERS_ANALYSIS_WAIT_BATCH_H

#include "consumers/analysis/derived.h"
#include "consumers/analysis/relay.h"
#include "consumers/analysis/wait_rows.h"

/** The fields of the event "wait", in this order. */
enum wt_wait_field {
	WT_WAIT_LIFE,
	WT_WAIT_RUNNING,
	WT_WAIT_READY,
	WT_WAIT_BLOCKED,
	WT_WAIT_UNKNOWN,
	WT_WAIT_WAITED,
	WT_WAIT_WAITS,
	WT_WAIT_OPEN,
	WT_WAIT_KIND,
	WT_WAIT_READY_BY,
	WT_WAIT_CERTAINTY,
	WT_WAIT_LEFT_AS,
	WT_WAIT_PRIORITY,
	WT_WAIT_WAKER_TID,
	WT_WAIT_WAKER_CONTEXT,
	WT_WAIT_WAKER_SOURCE,
	WT_WAIT_LOCK,
	WT_WAIT_OWNER,
	WT_WAIT_OWNER_READ,
	WT_WAIT_OWNER_IS,
	WT_WAIT_NUMBERS,
	WT_WAIT_WAKER = WT_WAIT_NUMBERS, /**< a text, as is the next one */
	WT_WAIT_WAKER_PROCESS,
	WT_WAIT_FIELDS
};

/** Makes the event, its fields and maps. -1: memory. */
int wt_wait_schema(struct wt_wait_rows *rows, struct wt_err *err);

struct wt_wait_row {
	uint64_t time, running, ready, blocked, unknown;
	uint32_t segment, thread, stack, cpu;
	uint32_t waker_segment, waker_thread; /**< WT_WAIT_NONE: none, or an interrupt */
	uint32_t waker_tid, priority;
	uint8_t has_lock; /**< its place in the list's locks is filled in */
	uint8_t waits, open, kind, ready_by, certainty, left_as, waker_context,
		waker_source; /**< as in their fields */
};

/** Rows in the order in which turns ended. */
struct wt_wait_list {
	uint32_t n;
	struct wt_wait_row *rows;   /**< owned; room for `most` of the batch */
	struct wt_wait_lock *locks; /**< owned; by row; their times count from the log's beginning */
};

struct wt_wait_batch {
	const struct wt_wait_rows *rows; /**< borrowed */
	const struct wt_log_need *need;  /**< by segment: fields to fill; borrowed */
	int (*fn)(void *ctx, const struct wt_log_batch *batch, struct wt_err *err);
	void *ctx;

	/* the making end's */
	struct wt_relay *relay; /**< borrowed; gets the lists */
	bool stopped;           /**< no more is wanted */
	uint32_t most, turn;
	struct wt_wait_list lists[2]; /**< in turn: one is filled while the other one is taken */

	/* the taking end's; all owned */
	struct wt_wait_order {
		uint64_t time;
		uint32_t segment, row; /**< row: in the list */
	} * order;
	struct wt_derived common;
	uint64_t *numbers[WT_WAIT_NUMBERS];
	struct {
		uint32_t *offsets;
		struct wt_buf bytes;
	} texts[WT_WAIT_FIELDS - WT_WAIT_NUMBERS];
	struct wt_log_column columns[WT_WAIT_FIELDS];
};

int wt_wait_batch_init(struct wt_wait_batch *batch, uint32_t most, struct wt_err *err);
void wt_wait_batch_deinit(struct wt_wait_batch *batch);
/** Making end: the place of the next row, to be filled in. */
static inline struct wt_wait_row *wt_wait_batch_next(struct wt_wait_batch *batch)
{
	struct wt_wait_list *list = &batch->lists[batch->turn];

	return &list->rows[list->n];
}
/** Making end: gives the next row this lock. origin: the beginning of the log. */
void wt_wait_batch_lock(struct wt_wait_batch *batch, const struct wt_wait_lock *lock, uint64_t origin);
/** Making end: the next row is filled in. Hands over all rows when there is no room for another. */
void wt_wait_batch_push(struct wt_wait_batch *batch);
void wt_wait_batch_flush(struct wt_wait_batch *batch);
/** Taking end: calls fn with the rows of a list, sorted by time, for each of their segments. As
 * wt_relay_ends.take. */
int wt_wait_batch_take(struct wt_wait_batch *batch, const struct wt_wait_list *list, struct wt_err *err);

#endif
