/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Writes a log file, segment by segment (LOGFORMAT.md).
 *
 * The writer collects table rows and events in memory, bounded by wt_log_options, and writes whole blocks on
 * flush: first the rows defined since the last flush, then one block of columns per kind, then a checkpoint.
 * A file that is cut anywhere can be read up to its last whole block. No block needs rows of later blocks.
 * Only symbols come later: they add names.
 *
 * One thread. The file descriptor still belongs to the caller. After a failed write (the disk is full,
 * read-only, broken) the writer truncates the file back to the last whole flush, keeps unwritten data
 * pending, and reports WT_ERR_NOSPACE. The caller may try again at any time, or drop the batch with
 * wt_log_drop_pending, which counts the dropped events. WT_ERR_SYSTEM means that the descriptor cannot be
 * written at all.
 */
#ifndef TRACECORE_LOGFMT_WRITE_WRITER_H
#define TRACECORE_LOGFMT_WRITE_WRITER_H

#include "tracecore/base/clock.h"
#include "tracecore/source.h"
#include "tracecore/logfmt/format/tables.h"
#include "tracecore/logfmt/read/tally.h"

struct wt_log_writer;

enum { WT_LOG_SEGMENT_BYTES = 16 << 20, WT_LOG_PENDING_BYTES = 4 << 20 };

/** Not a level of zstd: the columns of events and rows are stored without compression. */
#define WT_LOG_LEVEL_STORED (-100)

struct wt_log_options {
	int zstd_level;         /**< -7..19; default 1 (recording), 0 means the default */
	uint64_t segment_bytes; /**< a segment is closed when it has grown above this; default 16 MiB */
	uint64_t pending_bytes; /**< wt_log_event returns 1 ("flush now") above this; default 4 MiB */
	uint32_t ranged; /**< a block with at least this many events gets ranges; default WT_LOG_RANGED */
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
	uint64_t first_time, last_time; /**< of all events in the file, with those of earlier writers; 0
					 * when none */
	/** Dropped by wt_log_trim: data in the file or written by this writer. */
	uint64_t trimmed_events, trimmed_segments;
};

/** Starts a file on an empty regular file, open for reading and writing (it is read back at the end): header,
 * then the first segment with its schemas. kinds is borrowed, must outlive the writer and may only grow
 * (wt_log_adopt_kinds). session_id: 16 random bytes that name the session in every file made from it.
 */
int wt_log_create(int fd, const struct wt_kinds *kinds, const uint8_t session_id[16],
		  const struct wt_log_options *options, struct wt_log_writer **ret, struct wt_err *err);

/** Adopts the providers that were added to the kinds since create, resume or the last call. Their schemas go
 * into the current segment with the next flush, before its events, and into every later one. On failure (no
 * memory, a bound of the format) the log is unchanged and refuses events of the new kinds. */
int wt_log_adopt_kinds(struct wt_log_writer *log, struct wt_err *err);

/** Define rows. The ids follow from the order of the calls: the first call defines row 0 and so on (stacks:
 * 1). The strings are copied, the first 65,535 bytes of each. Call these only for rows that the current
 * segment does not have yet. WT_ERR_FORMAT when a row names another row (except row 0) that is not defined.
 */
int wt_log_put_process(struct wt_log_writer *log, const struct wt_log_process *row, struct wt_err *err);
int wt_log_put_thread(struct wt_log_writer *log, const struct wt_log_thread *row, struct wt_err *err);
int wt_log_put_image(struct wt_log_writer *log, const struct wt_log_image *row, struct wt_err *err);
int wt_log_put_frame(struct wt_log_writer *log, const struct wt_log_frame *row, struct wt_err *err);
int wt_log_put_stack(struct wt_log_writer *log, const struct wt_log_stack *row, struct wt_err *err);

/** Appends one event; its thread and stack are ids in the current segment. Times should not go backwards.
 * When they do (a few ns across nested interrupts) the block is sorted stably when it is written. 0: taken.
 * 1: taken, and the pending bytes have reached their bound: flush. -1: not taken, for lack of memory, or
 * WT_ERR_FORMAT when the payload does not follow the kind's schema or is larger than 1 MiB, or an id
 * (except thread 0) is not defined. */
int wt_log_event(struct wt_log_writer *log, const struct wt_event *event, uint32_t thread, uint32_t stack,
		 struct wt_err *err);

/** Adds consecutive events of one kind, thread and CPU. This is cheaper than adding them one by one, and
 * the events get blocks of their CPU alone. *taken is the number of events, from the first on, that were
 * taken. -1: none was taken, because the first one is refused. */
int wt_log_run(struct wt_log_writer *log, const struct wt_run *run, uint32_t thread, uint32_t flags,
	       uint32_t *taken, struct wt_err *err);

/** As wt_log_run, for a strip, whose events are of one kind, thread and CPU. The cheapest way to add events.
 */
int wt_log_strip(struct wt_log_writer *log, const struct wt_strip *strip, uint32_t thread, uint32_t flags,
		 uint32_t *taken, struct wt_err *err);

/** Writes everything that is pending and a checkpoint with these positions. 0: it is on disk (in the page
 * cache); -1: see @file. When nothing is pending it writes nothing. */
int wt_log_flush(struct wt_log_writer *log, const struct wt_log_position *positions, size_t n,
		 struct wt_err *err);

/** Sets the compression of blocks from the next one on: a level as in the options, or WT_LOG_LEVEL_STORED.
 * Readers accept all levels in any order. */
void wt_log_set_level(struct wt_log_writer *log, int level);

/** Drops the pending events (not the rows) and returns their number. The next block of each kind states how
 * many of its events were dropped. */
uint64_t wt_log_drop_pending(struct wt_log_writer *log);

/** True when the segment has reached its size: flush, then call wt_log_next_segment and define all rows
 * again. */
bool wt_log_segment_full(const struct wt_log_writer *log);
/** Closes the segment (all pending must be flushed) and begins the next with empty tables and the same kinds.
 */
int wt_log_next_segment(struct wt_log_writer *log, struct wt_err *err);
/** Number of the current segment, from 0. */
uint32_t wt_log_segment(const struct wt_log_writer *log);

/** Everything that was dropped from the file since it was created, also by earlier writers. */
const struct wt_log_dropped *wt_log_writer_dropped(const struct wt_log_writer *log);

/** Adds names for frames [first, first + n) of any segment of this file, closed or not. Written at once. */
int wt_log_put_symbols(struct wt_log_writer *log, uint32_t segment, uint32_t first,
		       const struct wt_log_symbol *rows, size_t n, struct wt_err *err);

/** Flushes, closes the last segment, and writes the index and the end mark. The file is then complete, and
 * nothing can be added. After a failure the log is unchanged, and writing may continue. */
int wt_log_finish(struct wt_log_writer *log, struct wt_err *err);

const struct wt_log_stats *wt_log_writer_stats(const struct wt_log_writer *log);
void wt_log_writer_destroy(struct wt_log_writer *log);

#endif
