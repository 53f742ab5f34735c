/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Makes a log from segments of others.
 *
 * A whole segment is copied block by block; checksums are checked and nothing is decoded. A segment that
 * loses something (a sieve is given, or it is damaged) is written again: the remaining events, the rows
 * that they need, symbols of their frames, and all its schemas, facts and clock sets. It then has new ids.
 * Parts that cannot be read are not in the copy. The copy is sound and reports these parts by wtrace/lost
 * events.
 *
 * Segments get the numbers 0, 1... in the order of the calls; a segment without remaining events is left
 * out. The reader of a segment belongs to the caller, who may unload the segment afterwards. One thread.
 * After a failure the copy can only be destroyed and its file removed.
 */
#ifndef TRACECORE_LOGFMT_REWRITE_COPY_H
#define TRACECORE_LOGFMT_REWRITE_COPY_H

#include "tracecore/logfmt/read/reader.h"

struct wt_log_copy;

/** The part of an event's stack that is kept. */
enum wt_log_keep_stack { WT_LOG_STACK_WHOLE, WT_LOG_STACK_INNERMOST, WT_LOG_STACK_DROPPED };

/** The events that stay, and the parts of them that stay. */
struct wt_log_sieve {
	struct wt_log_filter filter; /**< its segments are ignored */
	/** Kinds that stay as a whole, whatever filter and mask say. NULL: none. */
	bool (*always)(void *ctx, const struct wt_log_segment *segment, uint32_t kind);
	/** mask[i] = 1 where event i of the batch stays, otherwise 0. Asked about every batch that passes.
	 * NULL: all stay. */
	int (*mask)(void *ctx, const struct wt_log_batch *batch, bool always, uint8_t *mask,
		    struct wt_err *err);
	/** NULL: whole stacks. */
	enum wt_log_keep_stack (*stack)(void *ctx, const struct wt_log_segment *segment, uint32_t kind);
	/** Facts about the events that the copy lacks. They are added to the facts of each segment
	 * (LOGFORMAT.md). */
	const struct wt_log_fact *told;
	uint32_t n_told;
	void *ctx; /**< of these three; the filter has its own */
};

/** Starts a log on an empty regular file that is open for reading and writing. The descriptor still belongs
 * to the caller. began: the clocks when the session began, from which viewers count dates. */
int wt_log_copy_create(int fd, const uint8_t session_id[16], const struct wt_clockset *began,
		       struct wt_log_copy **ret, struct wt_err *err);

/** Appends segment i of the log: the whole segment (sieve NULL) or the part that passes the sieve. */
int wt_log_copy_segment(struct wt_log_copy *copy, struct wt_log_reader *from, uint32_t i,
			const struct wt_log_sieve *sieve, struct wt_err *err);

/** Writes the index and the end mark. *events (may be NULL) gets the number of events. */
int wt_log_copy_finish(struct wt_log_copy *copy, uint64_t *events, struct wt_err *err);

void wt_log_copy_destroy(struct wt_log_copy *copy);

/** A segment's place in time and its size, from its block headers. first_time: of its first event, or of
 * its begin when it has no events. bytes: of its blocks in the file. */
struct wt_log_extent {
	uint64_t first_time, bytes;
};
int wt_log_extent(struct wt_log_reader *log, uint32_t i, struct wt_log_extent *ret, struct wt_err *err);

#endif
