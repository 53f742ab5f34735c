/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Writes events of one segment as a new segment, with the rows that they need and no others. A part of
 * log_copy.
 *
 * Nothing is written before the first event. Rows are defined when they are first named.
 */
#ifndef TRACECORE_LOGFMT_REWRITE_REMAP_H
#define TRACECORE_LOGFMT_REWRITE_REMAP_H

#include "tracecore/logfmt/rewrite/copy.h"

struct wt_log_remap;
struct wt_log_writer;

/** Continues after the blocks that base has written. segment is borrowed and must stay loaded. */
int wt_log_remap_begin(struct wt_log_writer *base, const struct wt_log_segment *segment,
		       struct wt_log_remap **ret, struct wt_err *err);
/** Adds facts that the segment lacks, before the first event. They are borrowed. */
int wt_log_remap_tell(struct wt_log_remap *map, const struct wt_log_fact *told, uint32_t n,
		      struct wt_err *err);
/** Notes that the recorder dropped this many events of a kind of the old segment. */
void wt_log_remap_lost(struct wt_log_remap *map, uint32_t kind, uint32_t lost);
/** Appends the events of the batch whose mask is not 0. */
int wt_log_remap_events(struct wt_log_remap *map, const struct wt_log_batch *batch, const uint8_t *mask,
			enum wt_log_keep_stack keep, struct wt_err *err);
/** Notes that this many events of an old kind, of that CPU and span, could not be read. Kind WT_LOG_NONE:
 * neither the number nor the kind is known. Does nothing where the segment has no wtrace/lost event. */
struct wt_log_missing {
	uint32_t kind, cpu;
	uint64_t count, from, to;
};
int wt_log_remap_missing(struct wt_log_remap *map, const struct wt_log_missing *missing, struct wt_err *err);
/** Adds the symbols, closes the segment and updates base. Does nothing when there was no event. */
int wt_log_remap_end(struct wt_log_remap *map, uint64_t *events, struct wt_err *err);
void wt_log_remap_destroy(struct wt_log_remap *map);

#endif
