/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Makes a log from segments of others.
 *
 * A segment taken whole is copied block by block as it lies in its file, checksums checked, nothing decoded.
 * One that is to lose something (a sieve is given, or it is damaged) is written anew: the events that stay,
 * the rows they need, symbols of their frames, all its schemas, facts and clock sets. Ids are then counted
 * anew; what cannot be read is not in the copy, which is sound and tells of it by wtrace/lost events.
 *
 * Segments get the numbers 0, 1... in the order of the calls; a segment none of whose events stay is left
 * out. The reader of a segment stays the caller's, who may unload the segment afterwards. One thread. After a
 * failure the copy can only be destroyed and its file removed.
 */
#ifndef TRACECORE_LOGFMT_REWRITE_COPY_H
#define TRACECORE_LOGFMT_REWRITE_COPY_H

#include "tracecore/logfmt/read/reader.h"

struct wt_log_copy;

/** What is kept of an event's stack. */
enum wt_log_keep_stack { WT_LOG_STACK_WHOLE, WT_LOG_STACK_INNERMOST, WT_LOG_STACK_DROPPED };

/** Which events stay, and what of them. */
struct wt_log_sieve {
	struct wt_log_filter filter; /**< its segments are ignored */
	/** Kinds that stay as a whole, whatever filter and mask say. NULL: none. */
	bool (*always)(void *ctx, const struct wt_log_segment *segment, uint32_t kind);
	/** mask[i] = 1 where event i of the batch stays, else 0. Asked about every batch that passes. NULL:
	 * all stay. */
	int (*mask)(void *ctx, const struct wt_log_batch *batch, bool always, uint8_t *mask,
		    struct wt_err *err);
	/** NULL: whole stacks. */
	enum wt_log_keep_stack (*stack)(void *ctx, const struct wt_log_segment *segment, uint32_t kind);
	/** What the copy says of what it lacks: facts of each segment, beside those it has (LOGFORMAT.md). */
	const struct wt_log_fact *told;
	uint32_t n_told;
	void *ctx; /**< of these three; the filter has its own */
};

/** Starts a log on an empty regular file open for reading and writing, which stays the caller's. began: the
 * clocks when the session began, which dates of a viewer count from. */
int wt_log_copy_create(int fd, const uint8_t session_id[16], const struct wt_clockset *began,
		       struct wt_log_copy **ret, struct wt_err *err);

/** Appends segment i of the log, whole (sieve NULL) or what the sieve lets through. */
int wt_log_copy_segment(struct wt_log_copy *copy, struct wt_log_reader *from, uint32_t i,
			const struct wt_log_sieve *sieve, struct wt_err *err);

/** Writes the index and the end mark. *events (may be NULL): how many there are. */
int wt_log_copy_finish(struct wt_log_copy *copy, uint64_t *events, struct wt_err *err);

void wt_log_copy_destroy(struct wt_log_copy *copy);

/** Where the segment lies in time, by its block headers: first event, or the moment it was begun when it has
 * none; bytes: of its blocks in the file. */
struct wt_log_extent {
	uint64_t first_time, bytes;
};
int wt_log_extent(struct wt_log_reader *log, uint32_t i, struct wt_log_extent *ret, struct wt_err *err);

#endif
