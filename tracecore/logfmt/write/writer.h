/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Writes a log file, segment by segment (LOGFORMAT.md).
 *
 * The writer collects table rows and events in memory, bounded by wt_log_options, and writes whole blocks on
 * flush: first the rows defined since the last flush, then one block of columns per kind, then a checkpoint.
 * A file cut anywhere reads up to its last whole block, and no block needs rows that stand after it (symbols
 * excepted, which only add names).
 *
 * One thread. The file descriptor stays the caller's. After a failed write (the disk is full, read-only,
 * broken) the writer truncates the file back to the last whole flush, keeps what was not written pending, and
 * reports WT_ERR_NOSPACE: the caller may try again, at any time, or drop the batch with wt_log_drop_pending,
 * which counts what is dropped. WT_ERR_SYSTEM is for a descriptor that cannot be written at all.
 */
#ifndef TRACECORE_LOGFMT_WRITE_WRITER_H
#define TRACECORE_LOGFMT_WRITE_WRITER_H

#include "tracecore/base/clock.h"
#include "tracecore/source.h"
#include "tracecore/logfmt/format/tables.h"
#include "tracecore/logfmt/read/tally.h"

struct wt_log_writer;

enum { WT_LOG_SEGMENT_BYTES = 16 << 20, WT_LOG_PENDING_BYTES = 4 << 20 };

/** Not a level of zstd: the columns of events and rows as they are. */
#define WT_LOG_LEVEL_STORED (-100)

struct wt_log_options {
	int zstd_level;         /**< -7..19; default 1 (recording), 0 means the default */
	uint64_t segment_bytes; /**< a segment is closed when it has grown beyond this; default 16 MiB */
	uint64_t pending_bytes; /**< wt_log_event says 1 ("flush now") beyond this; default 4 MiB */
	uint32_t ranged; /**< events of a block from which on its ranges are noted; default WT_LOG_RANGED */
};

/** Position of one source, stored by a checkpoint. */
struct wt_log_position {
	uint32_t source;
	uint64_t position;
};

/** Counters since create or resume. */
struct wt_log_stats {
	uint64_t events;                /**< written */
	uint64_t events_dropped;        /**< by wt_log_drop_pending */
	uint64_t bytes;                 /**< the file's size after the last flush */
	uint64_t bytes_raw;             /**< event columns before zstd */
	uint64_t segments;              /**< begun */
	uint64_t first_time, last_time; /**< of all events in the file, of earlier writers too; 0 when none */
	/** By wt_log_trim, of what was there or has been written. */
	uint64_t trimmed_events, trimmed_segments;
};

/** Starts a file on an empty regular file, open for reading and writing (it is read back at the end): header,
 * then the first segment with its schemas. kinds is borrowed, must outlive the writer and may only grow
 * (wt_log_adopt_kinds). session_id: 16 random bytes that name the session in every file made from it.
 */
int wt_log_create(int fd, const struct wt_kinds *kinds, const uint8_t session_id[16],
		  const struct wt_log_options *options, struct wt_log_writer **ret, struct wt_err *err);

/** Takes up the providers added to the kinds since create, resume or the last call. Their schemas go into the
 * current segment with the next flush, before its events, and into every later one. On failure (memory, a
 * bound of the format) the log is as before and refuses events of the new kinds. */
int wt_log_adopt_kinds(struct wt_log_writer *log, struct wt_err *err);

/** Rows. The id is given by the caller's order: the first call defines row 0 and so on (stacks: 1). The
 * strings are copied, the first 65,535 bytes of each. Called only for rows the current segment does not have
 * yet. WT_ERR_FORMAT when a row names another (but row 0) that is not defined. */
int wt_log_put_process(struct wt_log_writer *log, const struct wt_log_process *row, struct wt_err *err);
int wt_log_put_thread(struct wt_log_writer *log, const struct wt_log_thread *row, struct wt_err *err);
int wt_log_put_image(struct wt_log_writer *log, const struct wt_log_image *row, struct wt_err *err);
int wt_log_put_frame(struct wt_log_writer *log, const struct wt_log_frame *row, struct wt_err *err);
int wt_log_put_stack(struct wt_log_writer *log, const struct wt_log_stack *row, struct wt_err *err);

/** Appends one event; its thread and stack are ids in the current segment. Times should not go back; where
 * they do (a few ns across nested interrupts) the block is sorted when it is written, stably. 0 taken; 1
 * taken, and the pending bytes have reached their bound: flush; -1 not taken: memory, or WT_ERR_FORMAT when
 * the payload is not what the kind's schema says, is larger than 1 MiB, or an id (but thread 0) is not
 * defined. */
int wt_log_event(struct wt_log_writer *log, const struct wt_event *event, uint32_t thread, uint32_t stack,
		 struct wt_err *err);

/** Adds events of one kind and one thread that come one behind the other from one CPU: cheaper than one by
 * one, and they get blocks of that CPU's own. *taken says how many of them, from the first on, were taken;
 * -1: none, the first is refused. */
int wt_log_run(struct wt_log_writer *log, const struct wt_run *run, uint32_t thread, uint32_t flags,
	       uint32_t *taken, struct wt_err *err);

/** Adds a strip, which has one kind, thread and CPU by itself, as wt_log_run: the cheapest way in. */
int wt_log_strip(struct wt_log_writer *log, const struct wt_strip *strip, uint32_t thread, uint32_t flags,
		 uint32_t *taken, struct wt_err *err);

/** Writes everything pending and a checkpoint with these positions. 0 on disk (page cache); -1 see @file.
 * Without anything pending it writes nothing. */
int wt_log_flush(struct wt_log_writer *log, const struct wt_log_position *positions, size_t n,
		 struct wt_err *err);

/** How blocks are packed from the next one on: a level as in the options, or WT_LOG_LEVEL_STORED. Readers
 * take any of them in any order. */
void wt_log_set_level(struct wt_log_writer *log, int level);

/** Forgets pending events (not rows); returns how many. The next block of each kind says how many it lacks.
 */
uint64_t wt_log_drop_pending(struct wt_log_writer *log);

/** True when the segment has reached its size: flush, then call wt_log_next_segment and define all rows anew.
 */
bool wt_log_segment_full(const struct wt_log_writer *log);
/** Closes the segment (all pending must be flushed) and begins the next with empty tables and the same kinds.
 */
int wt_log_next_segment(struct wt_log_writer *log, struct wt_err *err);
/** Number of the current segment, from 0. */
uint32_t wt_log_segment(const struct wt_log_writer *log);

/** All that was dropped from the file since it was created, by the writers before this one too. */
const struct wt_log_dropped *wt_log_writer_dropped(const struct wt_log_writer *log);

/** Adds names for frames [first, first + n) of any segment of this file, closed or not. Written at once. */
int wt_log_put_symbols(struct wt_log_writer *log, uint32_t segment, uint32_t first,
		       const struct wt_log_symbol *rows, size_t n, struct wt_err *err);

/** Flushes, closes the last segment, writes the index and the end mark. The file is then complete and takes
 * nothing more. After a failure the log is as before and may go on. */
int wt_log_finish(struct wt_log_writer *log, struct wt_err *err);

const struct wt_log_stats *wt_log_writer_stats(const struct wt_log_writer *log);
void wt_log_writer_destroy(struct wt_log_writer *log);

#endif
