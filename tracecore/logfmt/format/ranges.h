/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Between which values the fields of a block's events lie, so that who looks for other values need not read
 * it: the RANGES blocks of LOGFORMAT.md.
 *
 * The writer notes every event block of WT_LOG_RANGED events or more and puts the notes of a segment in front
 * of its end. A reader finds them by what a block's header says of the events: kind, number and first time;
 * where two blocks agree in these, the ranges of both hold for each. Fields without a range are those of
 * which nothing is known.
 */
#ifndef TRACECORE_LOGFMT_FORMAT_RANGES_H
#define TRACECORE_LOGFMT_FORMAT_RANGES_H

#include "tracecore/logfmt/format/cols.h"

enum {
	WT_LOG_RANGED = 4096,         /**< events of a block from which on it is worth its ranges */
	WT_LOG_MOST_RANGES = 1 << 18, /**< of a segment; one with more has none */
};

/** The words of one field of a block, as signed numbers. */
struct wt_log_range {
	uint64_t time; /**< of the block's first event */
	uint32_t kind, count;
	uint32_t field;
	int64_t least, most;
};

/* ---- writing ---- */

/** Of the segment that is being written. Zeroed is empty. One thread. */
struct wt_log_range_notes {
	struct wt_log_cols rows;
	uint32_t kept; /**< of the rows, those whose blocks are in the file */
	bool many;     /**< beyond WT_LOG_MOST_RANGES: none are kept */
};

void wt_log_range_notes_deinit(struct wt_log_range_notes *notes);
/** Forgets all of them, for the next segment. */
void wt_log_range_notes_clear(struct wt_log_range_notes *notes);
/** Notes the block of the events [from, to), whose header is filled, when it has at least `ranged`. */
int wt_log_range_note(struct wt_log_range_notes *notes, const struct wt_disk_block_header *header,
		      const struct wt_log_cols *events, uint32_t from, uint32_t ranged, struct wt_err *err);

/* ---- reading ---- */

/** Sorts ranges for wt_log_ranges_of. */
void wt_log_ranges_sort(struct wt_log_range *ranges, uint32_t n);
/** Those of the block: the first of *n of them; NULL: there are none. */
const struct wt_log_range *wt_log_ranges_of(const struct wt_log_range *ranges, uint32_t n_ranges,
					    const struct wt_disk_block_header *header, uint32_t *n);

#endif
