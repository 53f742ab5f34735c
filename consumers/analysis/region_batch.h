/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Regions on their way from the pairing engine to batches. Rows of any segment and kind, with the
 * values of the needed fields, are gathered. When there are enough of them, they are sorted and delivered
 * as columns.
 */
#ifndef CONSUMERS_ANALYSIS_REGION_BATCH_H
#define CONSUMERS_ANALYSIS_REGION_BATCH_H

#include "consumers/analysis/derived.h"
#include "consumers/analysis/region_kinds.h"

/** The properties of a region that a batch does not have. */
struct wt_region_extent {
	uint64_t from, to; /**< to of an unfinished one: when it can no longer be open, or UINT64_MAX */
	uint32_t thread;   /**< in numbers of the caller's choice; WT_REGION_NONE: of several threads */
	enum wt_region_state state;
	bool doubtful;
};

struct wt_region_row {
	uint32_t kind; /**< of regions */
	uint32_t segment, thread, cpu, stack;
	uint64_t time, order;
	uint8_t self, claimed;
	uint8_t activity[WT_ACTIVITY_ID];
	uint64_t own[WT_REGION_N_OWN]; /**< NAME, WITHIN: of names; STATE: wt_region_state_number */
	size_t begin, end;             /**< where the values of the two sides begin in values */
	struct wt_region_extent extent;
};

struct wt_region_batch {
	/* borrowed, from before the first row */
	const struct wt_region_kinds *kinds;
	const struct wt_strings *names;          /**< of regions */
	const struct wt_log_need *needs;         /**< by shape: fields whose values are kept */
	const struct wt_log_need *own;           /**< by kind of region: fields to fill */
	const struct wt_region_extent **extents; /**< set to the extents of a batch while it is delivered */
	int (*fn)(void *ctx, const struct wt_log_batch *batch, struct wt_err *err);
	void *ctx;

	bool stopped;         /**< fn said 1 */
	struct wt_buf values; /**< of the rows */
	uint32_t n, most;     /**< rows there are; rows that fit */

	/* working state */
	uint64_t n_given;
	struct wt_region_row *rows;
	struct wt_region_extent *row_extents;
	uint32_t *order; /**< of rows */
	struct wt_derived common;
	uint8_t *activity;
	uint64_t *numbers[WT_SCHEMA_MAX_FIELDS];
	uint32_t *offsets[WT_SCHEMA_MAX_FIELDS];
	struct wt_buf texts[WT_SCHEMA_MAX_FIELDS];
	struct wt_log_column columns[WT_SCHEMA_MAX_FIELDS];
};

/** Room for so many rows. Undo with wt_region_batch_deinit, also after a failure. */
int wt_region_batch_init(struct wt_region_batch *batch, uint32_t most, struct wt_err *err);
void wt_region_batch_deinit(struct wt_region_batch *batch);

/** The next row, zeroed, to be filled; there is room for it. */
struct wt_region_row *wt_region_batch_row(struct wt_region_batch *batch);
/** Adds the row; delivers all rows when there is no room for another. */
int wt_region_batch_push(struct wt_region_batch *batch, struct wt_err *err);
/** Delivers all rows: those of one segment and kind are a batch, sorted by time. */
int wt_region_batch_flush(struct wt_region_batch *batch, struct wt_err *err);

/** Appends the values of the needed fields of an event. */
void wt_region_put_values(const struct wt_log_batch *batch, uint32_t i, const struct wt_log_need *need,
			  struct wt_buf *out);
/** The number that stands for a region's state and doubt in a row. */
uint64_t wt_region_state_number(const struct wt_region *region);

#endif
