/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Turns of threads on their way to batches: gathered, sorted by time, and delivered as columns.
 */
#ifndef CONSUMERS_ANALYSIS_WAIT_BATCH_H
#define CONSUMERS_ANALYSIS_WAIT_BATCH_H

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
	WT_WAIT_KIND,
	WT_WAIT_READY_BY,
	WT_WAIT_CERTAINTY,
	WT_WAIT_LEFT_AS,
	WT_WAIT_WAKER_TID,
	WT_WAIT_WAKER_CONTEXT,
	WT_WAIT_NUMBERS,
	WT_WAIT_WAKER = WT_WAIT_NUMBERS, /**< a text */
	WT_WAIT_FIELDS
};

/** Makes the event, its fields and maps. -1: memory. */
int wt_wait_schema(struct wt_wait_rows *rows, struct wt_err *err);

struct wt_wait_row {
	uint32_t segment, thread, stack, cpu;
	uint64_t time, order;
	uint64_t numbers[WT_WAIT_NUMBERS];
	uint32_t waker_segment, waker_thread; /**< WT_WAIT_NONE: none, or an interrupt */
};

struct wt_wait_batch {
	const struct wt_wait_rows *rows; /**< borrowed */
	int (*fn)(void *ctx, const struct wt_log_batch *batch, struct wt_err *err);
	void *ctx;
	bool stopped; /**< fn said 1 */
	uint32_t n, most;
	uint64_t n_given;
	struct wt_wait_row *list;
	uint64_t *time, *numbers[WT_WAIT_NUMBERS];
	uint32_t *cpu, *thread, *stack, *offsets;
	uint8_t *self, *claimed;
	struct wt_buf text;
	struct wt_log_column columns[WT_WAIT_FIELDS];
};

int wt_wait_batch_init(struct wt_wait_batch *batch, uint32_t most, struct wt_err *err);
void wt_wait_batch_deinit(struct wt_wait_batch *batch);
/** Adds a row; delivers all rows when there is no room for another. */
int wt_wait_batch_push(struct wt_wait_batch *batch, const struct wt_wait_row *row, struct wt_err *err);
int wt_wait_batch_flush(struct wt_wait_batch *batch, struct wt_err *err);

#endif
