/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Columns of a table: the values that are computed for each row.
 *
 * count, overhead (its share of the table), weight (sum of the samples' periods), weight:EVENT (of one
 * sampled event), sum:FIELD min:FIELD max:FIELD avg:FIELD, FIELD/FIELD and EVENT/EVENT (the quotient of two
 * sums or weights; ipc is short for that of instructions and cycles), p50:FIELD p99:FIELD (within 0.8 %,
 * exact for integers below 256, never outside of min and max), unique:KEY, first, last, of regions p50 p99
 * min max avg total (of their duration) and self, and for keys that are code: exclusive, inclusive,
 * overhead-inclusive.
 *
 * Rows are numbered nodes of a forest (aggregate.h). A column keeps one accumulator per node, is fed batch by
 * batch with the innermost node of each event, and adds up to the parents once at the end.
 */
#ifndef CONSUMERS_ANALYSIS_COLUMN_H
#define CONSUMERS_ANALYSIS_COLUMN_H

#include "consumers/analysis/key.h"
#include "consumers/analysis/pairs.h"

/** A row of P50 or P99 without values; the bits of no number. */
#define WT_VIEW_NO_RESULT UINT64_MAX

enum wt_view_column_what {
	WT_COLUMN_COUNT,
	WT_COLUMN_OVERHEAD,
	WT_COLUMN_EXCLUSIVE,
	WT_COLUMN_INCLUSIVE,
	WT_COLUMN_OVERHEAD_INCLUSIVE,
	WT_COLUMN_WEIGHT,
	WT_COLUMN_FIRST,
	WT_COLUMN_LAST,
	WT_COLUMN_SUM,
	WT_COLUMN_MIN,
	WT_COLUMN_MAX,
	WT_COLUMN_AVG,
	WT_COLUMN_QUOTIENT,
	WT_COLUMN_P50,
	WT_COLUMN_P99,
	WT_COLUMN_UNIQUE,
};

struct wt_view_acc {
	__int128 i; /**< sum, least or largest of integers and times */
	double f;   /**< of floats */
	uint64_t n; /**< values seen */
};

struct wt_view_column {
	enum wt_view_column_what what;
	char *word;                 /**< as it was asked for: the title; owned */
	struct wt_view_field field; /**< SUM ... P99, WEIGHT */
	struct wt_view_field open;  /**< MAX of waits: tells that a value is only what is known of more.
				     * accs have twice the value then, and 1 more where it is one of those */
	bool real;                  /**< the field is floating-point somewhere */
	const char *source;         /**< WEIGHT: of the samples of this event alone; borrowed; NULL: of all */
	struct wt_view_key key;     /**< UNIQUE */
	struct wt_view_column *over; /**< QUOTIENT: the divisor, a SUM; the column itself gathers the
					dividend; owned */
	struct wt_view_acc *accs;    /**< by node; not of P50 to UNIQUE */
	uint64_t *results; /**< by node: UNIQUE's count; after passes, the bits of P50's and P99's double,
			      WT_VIEW_NO_RESULT where there is no value */
	struct wt_view_range *ranges; /**< by node: P50, P99 (range.h) */
	uint32_t n_accs;              /**< room of accs or results, and of ranges */
	struct wt_intern pairs;       /**< UNIQUE: (node, id); P50, P99: (node, bucket) */
	uint64_t *pair_counts;        /**< P50, P99 */
	uint32_t pair_cap;
	uint32_t most_pairs; /**< with more the column is deferred; 0: no bound */
	bool deferred;       /**< its values are worked out in passes: see wt_view_column_begin_passes */
	bool feeds;          /**< takes part in this pass */
	bool passed;         /**< results holds them */
	struct wt_view_pairs
		rest;    /**< of one pass. UNIQUE: (value, node); P50, P99: (node, bucket) and a count */
	uint8_t *absent; /**< UNIQUE, in passes, by node: some event had no value. NULL: none had */
	uint32_t *order; /**< P50, P99 after roll: pairs sorted by node and bucket */
	uint32_t *ids;   /**< scratch */
	uint32_t ids_n;
};

/** One value of a table. */
struct wt_view_cell {
	enum wt_view_cell_kind {
		WT_CELL_NONE,      /**< no value: shown as "-" and null */
		WT_CELL_UNDEFINED, /**< a quotient whose divisor is 0: shown as "n/a" and null */
		WT_CELL_INTEGER,
		WT_CELL_REAL,
		WT_CELL_SHARE,   /**< percent */
		WT_CELL_SECONDS, /**< integer ns, shown as seconds */
	} kind;
	bool is_ns;   /**< INTEGER, REAL: people read it as a duration */
	bool or_more; /**< INTEGER: a part of it is outside of what was recorded; people read ">=" */
	__int128 i;
	double f;
};

/** Reads a column's word. -1: WT_ERR_USAGE with the nearest word. */
int wt_view_column_init(struct wt_view_file *file, const char *word, struct wt_view_column *ret,
			struct wt_err *err);
void wt_view_column_deinit(struct wt_view_column *column);
/** Gives the column the word as its title. -1 when memory is out: the column is deinitialized then. */
int wt_view_column_retitle(struct wt_view_column *column, const char *word, struct wt_err *err);

/** Adds the events of a batch; nodes[i] is event i's row (WT_VIEW_NONE: left out), all below n_nodes. */
int wt_view_column_add(struct wt_view_file *file, struct wt_view_column *column,
		       struct wt_view_segment *segment, const struct wt_log_batch *batch,
		       const uint32_t *nodes, uint32_t n_nodes, struct wt_err *err);
/** Gives every node's accumulator of old ones to where[node], for rows made anew; several may go to one. */
int wt_view_column_move(struct wt_view_column *column, const uint32_t *where, uint32_t n_old, uint32_t n_new,
			struct wt_err *err);
/** Adds what another column like this one has gathered; where[node] is the row here of a node there. UNIQUE:
 * the ids of the other's pairs are already those of this one's key. */
int wt_view_column_merge(struct wt_view_column *column, const struct wt_view_column *from,
			 const uint32_t *where, uint32_t n_from, uint32_t n_nodes, struct wt_err *err);
/** Forgets everything gathered, with its memory. */
void wt_view_column_clear(struct wt_view_column *column);
/** Adds every node to its parent (parents[i] < i, or WT_VIEW_NONE). Once, at the end. */
int wt_view_column_roll(struct wt_view_column *column, const uint32_t *parents, uint32_t n_nodes,
			struct wt_err *err);
/** Drops the pairs and their memory until the passes; does nothing for columns without pairs. */
void wt_view_column_defer(struct wt_view_column *column);
/** A column that keeps many values per row and met too many of them (deferred) is worked out in passes over
 * the same events, for all rows at once, each with room for so many pairs: begin, then as long as end_pass
 * says 1: add every batch, end. UNIQUE counts some of the values in each pass, P50 and P99 some of the rows.
 * parents as for roll, which then has nothing to do. */
int wt_view_column_begin_passes(struct wt_view_column *column, uint32_t room, uint32_t n_nodes,
				struct wt_err *err);
int wt_view_column_pass(struct wt_view_file *file, struct wt_view_column *column,
			struct wt_view_segment *segment, const struct wt_log_batch *batch,
			const uint32_t *nodes, const uint32_t *parents, struct wt_err *err);
/** 0: that was the last; 1: there is another; -1. */
int wt_view_column_end_pass(struct wt_view_column *column, const uint32_t *parents, uint32_t n_nodes,
			    struct wt_err *err);
/** Two columns of quantiles of the same field: `twin` needs no passes, it takes its results of each of
 * column's, before column's end_pass. */
bool wt_view_column_is_twin(const struct wt_view_column *column, const struct wt_view_column *twin);
int wt_view_column_twin_pass(struct wt_view_column *column, struct wt_view_column *twin, uint32_t n_nodes,
			     struct wt_err *err);

/* Declarations that the files of columns share. */
/** A word without quotients. */
int wt_view_column_init_plain(struct wt_view_file *file, const char *word, struct wt_view_column *ret,
			      struct wt_err *err);
/** The sources of a batch's samples, by their numbers, and the column's own number there. False: it has no
 * sample of this source. */
bool wt_view_column_sources(const struct wt_view_column *column, const struct wt_log_batch *batch,
			    const uint64_t **ret, uint64_t *number);
void wt_view_column_drop(struct wt_view_column *column);
/** The ids of UNIQUE's key for a batch, in column->ids. */
int wt_view_column_ids(struct wt_view_file *file, struct wt_view_column *column,
		       struct wt_view_segment *segment, const struct wt_log_batch *batch, struct wt_err *err);
/** The bucket of a value of P50 or P99. */
uint64_t wt_view_column_bucket(const struct wt_view_column *column, enum wt_type type, uint64_t bits);
/** The value itself goes into the range of its row. */
void wt_view_column_range(struct wt_view_column *column, uint32_t node, enum wt_type type, uint64_t bits);
int wt_view_column_room(struct wt_view_column *column, uint32_t n_nodes, struct wt_err *err);

/** Value of a node, for the columns that keep accumulators; the others are the table's own. */
struct wt_view_cell wt_view_column_cell(const struct wt_view_column *column, uint32_t node);

#endif
