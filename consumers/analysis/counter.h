/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Counts the events of a log for a view, on one thread or on several, with the same result to the byte.
 *
 * A counter is one thread's own: a view of the file, a filter, tables, a tally. With several threads each of
 * them has one and takes the next block when it is free; the tables are merged into the view's own counter,
 * whose ids are looked up by what they mean. Every row keeps where in the file it appeared first (born of
 * wt_view_forest), and that, not the order of merging, decides between rows that sort alike; forests that
 * stacks were followed in are put into this order before they are made into a table. Columns that add up
 * floating-point numbers depend on the order of adding: such views count on one thread. So do, unless said
 * otherwise, views of stacks in logs that have few events per stack. Memory: a thread's tables are merged and
 * emptied when they have grown beyond WT_VIEW_THREAD_ROWS; when they then hold few events per row, all
 * threads go on with reading only and count into one table in turns.
 *
 * Columns that keep many values per row (unique, p50, p99) are counted at once up to WT_VIEW_MOST_PAIRS pairs
 * of row and value in all. With more, they are worked out in further passes over the log, each with room for
 * WT_VIEW_PASS_FACTOR times as many (pairs.h) and for a part of the values (unique) or of the rows (p50,
 * p99): slower, with the same result. 10 million different pairs are 2 or 3 passes. Texts are held once each.
 */
#ifndef CONSUMERS_ANALYSIS_COUNTER_H
#define CONSUMERS_ANALYSIS_COUNTER_H

#include "consumers/analysis/aggregate.h"
#include "consumers/analysis/facts.h"
#include "consumers/analysis/select.h"

enum {
	WT_VIEW_MOST_THREADS = 16,
	WT_VIEW_THREAD_ROWS = 1 << 17,
	/** Below so many events in the log for each of them, threads cost more than they save. */
	WT_VIEW_EVENTS_PER_THREAD = 200000,
	/** Of all columns that keep pairs together; 40 bytes each. */
	WT_VIEW_MOST_PAIRS = 1 << 20,
	/** Of the pairs in a pass; 12 bytes each. */
	WT_VIEW_PASS_FACTOR = 6,
};

/** Batches from elsewhere than the log: as wt_log_scan, with `from` as its ctx. */
struct wt_view_feed {
	int (*scan)(void *from, int (*fn)(void *ctx, const struct wt_log_batch *batch, struct wt_err *err),
		    void *ctx, struct wt_err *err);
	void *from;
};

struct wt_view_counter {
	struct wt_view_feed feed; /**< scan NULL: the log; else counted on one thread, all that comes */
	struct wt_view_file file;
	struct wt_view_filter filter;
	struct wt_view_select select;
	struct wt_view_agg agg;
	struct wt_view_facts facts;
	struct wt_log_filter range;    /**< the part of the log that is read */
	struct wt_log_scanned scanned; /**< how much of it was */
	uint32_t most_pairs;           /**< WT_VIEW_MOST_PAIRS */
	uint32_t thread_rows;          /**< WT_VIEW_THREAD_ROWS */
	uint32_t passes;               /**< that deferred columns took */
};

/** After file, facts and agg were prepared: puts the parts together. */
void wt_view_counter_bind(struct wt_view_counter *counter);
void wt_view_counter_deinit(struct wt_view_counter *counter);

/** Counts one batch. As wt_log_scan's fn; ctx is the counter. */
int wt_view_counter_batch(void *ctx, const struct wt_log_batch *batch, struct wt_err *err);
/** The columns the counter's keys, columns and filter read. As wt_log_filter.need; ctx is the counter. */
void wt_view_counter_need(void *ctx, const struct wt_log_segment *segment, uint32_t kind,
			  struct wt_log_need *ret);

/** Adds what `from` counted and empties it. Both are of the same log and were prepared alike. */
int wt_view_counter_merge(struct wt_view_counter *counter, struct wt_view_counter *from, struct wt_err *err);

/* Parts of wt_view_count. */
/** Gives the columns their share of most_pairs. Before the first batch. */
void wt_view_counter_bound(struct wt_view_counter *counter);
/** The passes for columns that met more pairs. After the last batch. */
int wt_view_count_deferred(struct wt_view_counter *counter, struct wt_err *err);

/** How a view is counted. */
struct wt_view_crew {
	uint32_t threads; /**< 0: as many as there are CPUs to run on and the log is worth */
	/** Prepares another counter like the first one; on several threads at once. */
	int (*prepare)(void *ctx, struct wt_view_counter *counter, struct wt_err *err);
	void *ctx;
};
/** Counts the log into counter, which divides or is counted on one thread. */
int wt_view_count(struct wt_view_counter *counter, const struct wt_view_crew *crew, struct wt_err *err);

#endif
