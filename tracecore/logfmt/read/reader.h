/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Reads a log file that may be whole, cut, damaged, growing or hostile.
 *
 * Opening walks the block headers (or the index, when there is a valid one) and checks each; damaged blocks
 * are listed with their offset and skipped. Payloads are read with pread and decoded on demand. A reader's
 * memory is bounded by the tables of the segments in use plus a few blocks, independent of the file's size
 * (LOGFORMAT.md, section 8, has figures for hostile files). Every length, count and id is checked before
 * use: ids without a row become row 0 and are counted as damage.
 *
 * One thread uses a reader, except that several threads may scan different segments.
 */
#ifndef TRACECORE_LOGFMT_READ_READER_H
#define TRACECORE_LOGFMT_READ_READER_H

#include "tracecore/base/clock.h"
#include "tracecore/base/progress.h"
#include "tracecore/event.h"
#include "tracecore/logfmt/format/ranges.h"
#include "tracecore/logfmt/format/tables.h"
#include "tracecore/schema/decode.h"

struct wt_log_reader;

/** The number of damages kept with their text. All are counted. */
#define WT_LOG_DAMAGES 64

/** One damaged or unreadable place. */
struct wt_log_damage {
	uint64_t offset; /**< in the file */
	char what[120];  /**< "block checksum", "block header", "cut in the middle of a block"... */
};

struct wt_log_info {
	uint16_t version_major, version_minor;
	uint8_t session_id[16];
	uint64_t file_bytes;
	uint64_t whole_bytes;           /**< the end of the last whole block; a growing file may have more */
	bool complete;                  /**< the end mark is there: the session was stopped normally */
	uint64_t events;                /**< in readable blocks */
	uint64_t first_time, last_time; /**< session clock ns, of events; 0 when none */
	uint32_t n_segments;
	uint32_t n_damages;       /**< the first WT_LOG_DAMAGES are kept, all are counted */
	struct wt_clockset clock; /**< the first clock set: ties session time to wall time */
};

/** The tables of a closed or open segment, loaded by wt_log_load_segment. All pointers live as long as the
 * reader, or until wt_log_unload_segment. */
struct wt_log_segment {
	uint32_t number; /**< in the file; numbers may be missing after a ring dropped some */
	struct wt_kinds kinds;
	const struct wt_log_process *processes;
	uint32_t n_processes; /**< at least 1 */
	const struct wt_log_thread *threads;
	uint32_t n_threads; /**< at least 1 */
	const struct wt_log_image *images;
	uint32_t n_images; /**< at least 1 */
	const struct wt_log_frame *frames;
	uint32_t n_frames;
	const struct wt_log_stack *stacks; /**< stacks[id - 1] */
	uint32_t n_stacks;
	const struct wt_log_symbol
		*symbols; /**< one per frame; an empty name with reason WT_RESOLVED: never resolved */
	const struct wt_clockset *clocks; /**< in file order */
	uint32_t n_clocks;
	const struct wt_log_fact *facts;
	uint32_t n_facts;
};

/** Opens path ("-" is refused: the file must be seekable). Errors: WT_ERR_NOTFOUND, WT_ERR_FORMAT ("not a
 * wtrace log"), WT_ERR_VERSION (a newer major version), WT_ERR_SYSTEM. A cut or damaged log opens. */
int wt_log_open(const char *path, struct wt_log_reader **ret, struct wt_err *err);
/** Opens the log of an open descriptor, which then belongs to the reader. name is for messages. */
int wt_log_open_fd(int fd, const char *name, struct wt_log_reader **ret, struct wt_err *err);
void wt_log_close(struct wt_log_reader *log);

/** The way in which a log grows. WT_LOG_GROWS: a recorder writes it. The recorder may take back blocks after
 * its last checkpoint, so these do not count yet. WT_LOG_ARRIVES: a whole log is being copied here; every
 * whole block counts. WT_LOG_ENDED: its writer has ended, and everything stays. */
enum wt_log_growth { WT_LOG_GROWS, WT_LOG_ARRIVES, WT_LOG_ENDED };
/** As wt_log_open_fd, for a log that is being written: the reader sees the blocks that count by the log's
 * growth. wt_log_follow adds later ones. */
int wt_log_open_growing(int fd, const char *name, enum wt_log_growth growth, struct wt_log_reader **ret,
			struct wt_err *err);
/** Takes up the blocks that were written since the log was opened or followed last: 0; 1: there were none.
 * The tables of segments that grew are unloaded: no iterator, batch or segment may be in use. A log with
 * the end mark is complete and does not grow any more. */
int wt_log_follow(struct wt_log_reader *log, enum wt_log_growth growth, struct wt_err *err);
/** The offset up to which a growing log has been taken up. The blocks of the next wt_log_follow begin
 * there. */
uint64_t wt_log_followed(const struct wt_log_reader *log);

/** The place where a session continued after it dropped the oldest part of its log. */
struct wt_log_succession {
	uint64_t behind; /**< offset of the first block that the earlier log did not have */
	bool gap;        /**< blocks between are in neither */
};
/** True when the session continued the log `before` in `log`; *ret gets the place. `before` must be taken
 * up to its end. Both logs must be as the session writes them, of one session: a finished log has other
 * blocks. */
bool wt_log_succeeds(const struct wt_log_reader *log, const struct wt_log_reader *before,
		     struct wt_log_succession *ret);

const struct wt_log_info *wt_log_info(const struct wt_log_reader *log);
/** The damages kept: min(n_damages, WT_LOG_DAMAGES) of them. More may be found while reading. */
const struct wt_log_damage *wt_log_damages(const struct wt_log_reader *log);
/** Loads the tables of segment i (0 .. n_segments - 1, in file order); a second call costs nothing. */
int wt_log_load_segment(struct wt_log_reader *log, uint32_t i, const struct wt_log_segment **ret,
			struct wt_err *err);

/** Frees the tables of segment i, for a reader that goes through many segments. Pointers into them become
 * invalid; the tables may be loaded again. Not while an iterator or a batch of that segment is in use. */
void wt_log_unload_segment(struct wt_log_reader *log, uint32_t i);

/** The number of segment i. The segment need not be loaded. */
uint32_t wt_log_segment_number(const struct wt_log_reader *log, uint32_t i);

/** True when the kind's schema could be read. */
bool wt_log_kind_known(const struct wt_log_segment *segment, uint32_t kind);

/** Facts about a segment from the headers of its event blocks. The segment need not be loaded. */
struct wt_log_span {
	uint64_t events;
	uint64_t first_time, last_time; /**< 0 when there are no events */
	uint64_t last_block;            /**< offset of the last of these blocks */
};
/** 0 events for a segment that does not exist. */
struct wt_log_span wt_log_segment_span(const struct wt_log_reader *log, uint32_t i);

/** One field's column of a batch. Integers are widened (sign-extended) to 64 bits, F32 to F64 bits. Other
 * types and arrays are the packed payload bytes of each event, without the u16 of a scalar STRING, BINARY
 * or SOCKADDR. */
struct wt_log_column {
	const struct wt_field *field;
	const uint64_t *values;  /**< integers, floats (as bits of a double): n; else NULL */
	const uint32_t *offsets; /**< the others: n + 1 offsets into bytes; else NULL */
	const uint8_t *bytes;
};

/** Events of one kind, decoded column by column, in time order. Valid until the callback returns or the next
 * read. */
struct wt_log_batch {
	const struct wt_log_segment *segment;
	uint32_t block; /**< rises with the block's place in the file; not the block's number in it */
	uint32_t kind;
	uint32_t n;
	const uint64_t *time;                /**< session clock, ns */
	const uint32_t *cpu;                 /**< WT_CPU_NONE when it has none */
	const uint32_t *thread;              /**< valid id in segment->threads */
	const uint32_t *stack;               /**< valid stack id, 0 = none */
	const uint8_t *self;                 /**< 1: caused by the recorder */
	const uint8_t *claimed;              /**< 1: pid and tid are claims of another user's program */
	const uint8_t *activity, *related;   /**< WT_ACTIVITY_ID bytes per event; all zero: this event has
					      * none; NULL: no event has one */
	const struct wt_log_column *columns; /**< one per field of the kind's event */
};

/** The columns of one kind that a scan decodes beside time, cpu, thread, stack and self. Other columns are
 * absent: their values, offsets and bytes are NULL. */
struct wt_log_need {
	uint64_t fields[WT_SCHEMA_MAX_FIELDS / 64]; /**< bit f % 64 of word f / 64: field f */
	bool activities;                            /**< activity and related */
};
_Static_assert(WT_SCHEMA_MAX_FIELDS % 64 == 0, "whole words");

static inline void wt_log_need_field(struct wt_log_need *need, uint32_t f)
{
	need->fields[f / 64] |= UINT64_C(1) << f % 64;
}

static inline bool wt_log_needs_field(const struct wt_log_need *need, uint32_t f)
{
	return need->fields[f / 64] >> f % 64 & 1;
}

/** Statistics of a scan: the blocks that it read and those that it skipped. */
struct wt_log_scanned {
	uint64_t blocks;  /**< event blocks that were decoded */
	uint64_t skipped; /**< event blocks that were skipped by their headers */
	uint64_t columns; /**< of fields, that were decoded */
};

/** The facts about a block of events that are known without reading the block. */
struct wt_log_outline {
	const struct wt_log_segment *segment;
	uint32_t kind, count;
	uint32_t cpu;                      /**< of all its events; WT_CPU_NONE: several, or none */
	uint64_t first_time, last_time;    /**< no event is before or after */
	const struct wt_log_range *ranges; /**< of fields, n_ranges of them; one field may have several */
	uint32_t n_ranges;
};

/** The selection of a scan; zeroed selects everything. Blocks outside it are skipped by their headers
 * alone. */
struct wt_log_filter {
	uint64_t from, to; /**< session clock; events with from <= time < to; to 0 means no end */
	/** NULL: all kinds. Otherwise asked once per segment and kind. */
	bool (*want)(void *ctx, const struct wt_log_segment *segment, uint32_t kind);
	void *ctx;
	/** Segments [first_segment, first_segment + n_segments) in file order; n_segments 0: all. Threads
	 * may scan different segments at once. */
	uint32_t first_segment, n_segments;
	/** n_cpus not 0: blocks whose events all come from one other CPU are skipped. Blocks of several
	 * CPUs are not. */
	const uint32_t *cpus;
	uint32_t n_cpus;
	uint64_t behind; /**< blocks before this offset are skipped */
	uint64_t held;   /**< bytes of decoded events an iterator may hold; 0: 64 MiB */
	/** NULL: all columns. Otherwise asked once per block; *ret is zeroed before. The checksum of a
	 * block always covers all columns, but a malformed column that is not wanted is not found. */
	void (*need)(void *ctx, const struct wt_log_segment *segment, uint32_t kind, struct wt_log_need *ret);
	/** NULL: all of those blocks. Otherwise asked once per block, before the block is read: may some of
	 * its events be wanted? */
	bool (*may)(void *ctx, const struct wt_log_outline *outline);
	/** NULL, or a word of 0 by which several threads share one scan, each with its own fn. Each block
	 * then goes to the thread that is free first, and each thread sees batch->block rise. */
	uint32_t *turn;
	/** NULL, or counters to add to; not shared between threads. */
	struct wt_log_scanned *scanned;
	struct wt_listener listener; /**< gets the progress, in blocks, of a scan or of an iterator */
};

/** Calls fn for every batch, block by block in file order (time order only within a batch). fn returns 0 to
 * continue, 1 to stop, -1 on error (err filled). Damaged blocks are skipped and counted. */
int wt_log_scan(struct wt_log_reader *log, const struct wt_log_filter *filter,
		int (*fn)(void *ctx, const struct wt_log_batch *batch, struct wt_err *err), void *ctx,
		struct wt_err *err);

/** Sets segments[i], of n_segments, to 1 when any block of segment i would be read. Reads headers alone. */
int wt_log_chosen(struct wt_log_reader *log, const struct wt_log_filter *filter, uint8_t *segments,
		  struct wt_err *err);

/** A cursor over all events in time order (ties: file order). No allocation per event. At most about
 * filter.held bytes of decoded events are held. It must be destroyed before its reader. */
struct wt_log_iter;

int wt_log_iter_create(struct wt_log_reader *log, const struct wt_log_filter *filter,
		       struct wt_log_iter **ret, struct wt_err *err);
/** 0: event `*index` of `*batch` is the next one. 1: the end. -1: error; from then on every call fails with
 * the same code, earlier batches are invalid, and the iterator can only be destroyed. */
int wt_log_iter_next(struct wt_log_iter *iter, const struct wt_log_batch **batch, uint32_t *index,
		     struct wt_err *err);
/** As wt_log_iter_next, for *n events at once that are consecutive in the batch and in time. *n is 1 when
 * several blocks are open, and large when one is open; it is 0 when the result is 1 or -1. */
int wt_log_iter_next_run(struct wt_log_iter *iter, const struct wt_log_batch **batch, uint32_t *index,
			 uint32_t *n, struct wt_err *err);
void wt_log_iter_destroy(struct wt_log_iter *iter);

/** The value of field f of event i, for wt_value_text and friends. */
int wt_log_value(const struct wt_log_batch *batch, uint32_t i, uint32_t f, struct wt_value *ret);

/** A batch with only event i of another batch; columns is room for its fields. */
struct wt_log_batch wt_log_batch_single(const struct wt_log_batch *batch, uint32_t i,
					struct wt_log_column columns[WT_SCHEMA_MAX_FIELDS]);

#endif
