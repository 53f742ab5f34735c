/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The ranges of the field values of a block's events: the RANGES blocks of LOGFORMAT.md. A reader that
 * looks for values outside the ranges need not read the block.
 *
 * The writer notes every event block of WT_LOG_RANGED events or more and puts the notes of a segment in front
 * of its end. A reader finds them by the facts about the events in a block's header: kind, number and first
 * time. Where two blocks agree in these, the ranges of both hold for each. Nothing is known about fields
 * without a range.
 */
#ifndef TRACECORE_LOGFMT_FORMAT_RANGES_H
#define TRACECORE_LOGFMT_FORMAT_RANGES_H

#include "tracecore/logfmt/format/cols.h"

enum {
	WT_LOG_RANGED = 4096,         /**< a block with at least this many events gets ranges */
	WT_LOG_MOST_RANGES = 1 << 18, /**< of a segment; a segment with more has none */
};

/** The words of one field of a block, as signed numbers. */
struct wt_log_range {
	uint64_t time; /**< of the block's first event */
	uint32_t kind, count;
	uint32_t field;
	int64_t least, most;
};

/* ---- writing ---- */

/** The ranges of the segment that is being written. Zeroed is empty. One thread. */
struct wt_log_range_notes {
	struct wt_log_cols rows;
	uint32_t kept; /**< of the rows: those whose blocks are in the file */
	bool many;     /**< beyond WT_LOG_MOST_RANGES: none are kept */
};

void wt_log_range_notes_deinit(struct wt_log_range_notes *notes);
/** Forgets all of them, for the next segment. */
void wt_log_range_notes_clear(struct wt_log_range_notes *notes);
/** Notes the ranges of the events [from, to), whose block header is filled, when there are at least
 * `ranged` events. */
int wt_log_range_note(struct wt_log_range_notes *notes, const struct wt_disk_block_header *header,
		      const struct wt_log_cols *events, uint32_t from, uint32_t ranged, struct wt_err *err);

/* ---- reading ---- */

/** Sorts ranges for wt_log_ranges_of. */
void wt_log_ranges_sort(struct wt_log_range *ranges, uint32_t n);
/** The ranges of the block: returns the first of *n of them; NULL: there are none. */
const struct wt_log_range *wt_log_ranges_of(const struct wt_log_range *ranges, uint32_t n_ranges,
					    const struct wt_disk_block_header *header, uint32_t *n);

#endif
