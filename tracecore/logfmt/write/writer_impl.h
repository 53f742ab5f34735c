/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Shared by the parts of the writer; no other file includes this.
 *
 * Blocks are staged in `out` and go to the file with one write (write/commit.c). Only after that are
 * counters updated and pending rows dropped, so that a failed write leaves the writer unchanged.
 */
#ifndef TRACECORE_LOGFMT_WRITE_WRITER_IMPL_H
#define TRACECORE_LOGFMT_WRITE_WRITER_IMPL_H

#include "tracecore/logfmt/format/block.h"
#include "tracecore/logfmt/write/pending.h"
#include "tracecore/logfmt/format/ranges.h"
#include "tracecore/logfmt/write/writer.h"

/** The machine and the time of a segment's recording, for a segment that is made from another one. */
struct wt_log_origin {
	const struct wt_clockset *clocks;
	const struct wt_log_fact *facts;
	uint32_t n_clocks, n_facts;
};

/** A segment in the file. */
struct wt_log_stretch {
	uint64_t offset;           /**< of its first block */
	uint32_t number, sequence; /**< of the segment, and of its first block */
	uint64_t events;
	uint64_t first_time, last_time; /**< of its events; 0 when none */
};

struct wt_log_writer {
	int fd;
	const struct wt_log_origin *origin; /**< borrowed; NULL: here and now */
	const struct wt_kinds *kinds;       /**< borrowed; may have more kinds than were adopted */
	uint32_t n_kinds, n_providers;      /**< adopted */
	uint32_t providers_written;         /**< number of them whose schemas are in the segment */
	struct wt_log_options options;
	struct wt_log_stats stats; /**< stats.bytes is the place of the next block */
	uint32_t sequence;         /**< of the next block */
	uint32_t segment;
	uint64_t segment_start;           /**< offset of its first block */
	uint64_t segment_events;          /**< written */
	uint64_t clock_written;           /**< session clock of the segment's last clock set */
	struct wt_log_stretch *stretches; /**< owned; the segments in the file, the current one last */
	uint32_t n_stretches, cap_stretches;
	uint32_t first_segment;        /**< the first segment that this writer began */
	struct wt_log_dropped dropped; /**< owned; from the file's front up to now */
	bool ended;                    /**< the last segment is closed */
	bool finished;                 /**< the end mark is written */

	struct wt_log_cols tables[WT_LOG_SYMBOLS]; /**< rows not yet written */
	uint32_t rows[WT_LOG_SYMBOLS];             /**< rows defined in the segment, with pending ones */
	struct wt_log_pending *pending;            /**< one per adopted kind */
	struct wt_log_range_notes ranges;          /**< of the segment's blocks */
	uint64_t pending_events;
	size_t pending_bytes; /**< of events and rows */

	struct wt_log_packer *packer;
	bool stored; /**< columns are not compressed */
	struct wt_log_column_scratch *scratch;
	struct wt_buf raw; /**< one payload being made */
	struct wt_buf out; /**< blocks staged */
	uint32_t staged;   /**< number of them */
	uint64_t staged_raw;
	struct wt_buf *schemas; /**< canonical JSON of each adopted provider; owned */
};

/** A writer for fd that has written nothing. */
int wt_log_writer_alloc(int fd, const struct wt_kinds *kinds, const struct wt_log_options *options,
			struct wt_log_writer **ret, struct wt_err *err);
/** The header of a file whose session began at that moment. */
void wt_log_put_file_header(struct wt_buf *out, const uint8_t session_id[16],
			    const struct wt_clockset *began);
/** Begins log->segment, with empty tables, after the staged blocks, and writes all of it. */
int wt_log_begin_segment(struct wt_log_writer *log, struct wt_err *err);

/** Adds a segment after those in log->stretches. */
int wt_log_add_stretch(struct wt_log_writer *log, const struct wt_log_stretch *stretch, struct wt_err *err);

/** A header for a block of the current segment that has no CPU, kind or time. */
struct wt_disk_block_header wt_log_stage_header(const struct wt_log_writer *log, uint16_t type);
/** Adds a block to those staged. */
int wt_log_stage(struct wt_log_writer *log, struct wt_disk_block_header *header, const void *raw, size_t size,
		 struct wt_err *err);
/** Adds to the staged blocks a block of the columns that wt_log_cols_put has just made in log->raw. */
int wt_log_stage_columns(struct wt_log_writer *log, struct wt_disk_block_header *header, struct wt_err *err);
/** Adds a block as it was read, with this writer's sequence and segment. */
int wt_log_stage_stored(struct wt_log_writer *log, struct wt_disk_block_header *header, const void *stored,
			struct wt_err *err);
/** Stages rows [0, n) of the set as table blocks; first is the id of row 0. */
int wt_log_stage_table(struct wt_log_writer *log, enum wt_log_table table, uint32_t segment,
		       const struct wt_log_cols *set, uint32_t first, struct wt_err *err);
/** Stages the schemas of providers [first, n_providers). */
int wt_log_stage_schemas(struct wt_log_writer *log, uint32_t first, struct wt_err *err);
/** Stages SEGMENT_BEGIN and the schemas; SEGMENT_END; a CLOCK block. */
int wt_log_stage_segment(struct wt_log_writer *log, struct wt_err *err);
int wt_log_stage_segment_end(struct wt_log_writer *log, struct wt_err *err);
int wt_log_stage_clock(struct wt_log_writer *log, struct wt_err *err);
/** The segment's RANGES, if there are any. */
int wt_log_stage_ranges(struct wt_log_writer *log, uint32_t segment, struct wt_err *err);
/** Forgets what is staged. */
void wt_log_unstage(struct wt_log_writer *log);
/** Writes the staged blocks. If that fails, truncates the file back and unstages. */
int wt_log_commit(struct wt_log_writer *log, struct wt_err *err);
/** Truncates the file back to its former size. */
void wt_log_rewind(struct wt_log_writer *log, uint64_t bytes, uint32_t sequence);
/** Stages the index of the whole file and writes it with the end mark. */
int wt_log_write_index(struct wt_log_writer *log, struct wt_err *err);

/** Columns for rows of a table. */
int wt_log_table_init(struct wt_log_cols *set, enum wt_log_table table, struct wt_err *err);
int wt_log_symbol_row(struct wt_log_cols *set, const struct wt_log_symbol *row, struct wt_err *err);

#endif
