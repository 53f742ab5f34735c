/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Declarations that the parts of the reader library share; no other code includes this.
 *
 * A trace has files; a file has segments. While a cursor is in a segment, the segment's tables are loaded as
 * a **part**, with names made from them when they are asked for; the last cursor to leave it frees it. Types
 * belong to the trace.
 */
#ifndef CONSUMERS_READER_IMPL_H
#define CONSUMERS_READER_IMPL_H

#include "consumers/model/follow.h"
#include "consumers/model/frame_name.h"
#include "consumers/model/here.h"
#include "consumers/model/identity.h"
#include "consumers/reader/wtrace_reader.h"
#include "consumers/symbols/arena.h"
#include "tracecore/base/heads.h"
#include "tracecore/base/intern.h"
#include "tracecore/logfmt/read/reader.h"

/** The error text of the calling thread. */
struct wt_err *wtr_err(void);
/** The result for the error in wtr_err(). */
int wtr_failed(void);

struct wtr_type {
	const struct wt_provider *provider;
	const struct wt_event_desc *event;
};

/** A provider as a log describes it. Equal descriptions are stored once. */
struct wtr_schema {
	struct wt_provider *provider; /**< owned */
	struct wtr_type *types;       /**< owned; by event */
};

/** A frame with its names; fixed once it is asked for. */
struct wtr_frame {
	struct wtr_part *part;
	uint32_t id; /**< of the log's frame */
	bool kernel, named;
	uint8_t reason;       /**< of wt_frame_reason_names */
	const char *function; /**< in the part's arena, like all strings below */
	const char *symbol;
	const char *module;
	const char *file;
	uint32_t line, function_offset;
	uint32_t n_inlined;
	struct wtr_inlined {
		const char *function, *file;
		uint32_t line;
	} * inlined; /**< n_inlined of them, or NULL; owned */
};

/** A loaded segment. */
struct wtr_part {
	struct wtr_file *file;
	uint32_t segment; /**< number in its reader */
	uint32_t users;
	const struct wt_log_segment *tables;
	const struct wtr_type **types; /**< by kind; NULL: the kind has no description */
	/** By process and thread row; NULL until asked for. */
	const char **comms, **exes, **threads;
	struct wtr_frame *frames; /**< by frame; NULL until one is asked for */
	struct wt_arena arena;
};

struct wtr_file {
	struct wtr_trace *trace;
	uint32_t number;
	char *path; /**< owned */
	struct wt_log_reader *log;
	struct wtr_part **parts; /**< by segment; NULL: not loaded */
	uint32_t n_parts;
	struct wtr_known {
		const struct wt_provider *provider; /**< the reader's */
		uint32_t schema;
	} * known;
	uint32_t n_known;
};

struct wtr_trace {
	struct wtr_file *files;
	uint32_t n_files;
	struct wt_strings texts;     /**< manifests, by schema */
	struct wtr_schema **schemas; /**< owned */
	uint32_t schemas_cap;
	struct wt_log_fact *facts; /**< of the first segment; strings in arena */
	uint32_t n_facts;
	struct wt_arena arena;
	enum wtr_symbols how;
	struct wt_here here;
	uint32_t n_cursors;
	bool grows; /**< its only file grows, and follow follows it */
	struct wt_follow follow;
};

/** The facts of the first segment, when there is one. No part may be in use. */
int wtr_take_facts(struct wtr_trace *trace);
/** Adds a log to a trace whose list has room; it becomes the trace's, also after a failure. */
int wtr_add_file(struct wtr_trace *trace, const char *path, struct wt_log_reader *log);
/** A trace with room for n files; NULL: no memory. */
struct wtr_trace *wtr_trace_alloc(size_t n);
/** Takes in the data that was written after *behind, in another file too. WTR_GAP: there is more data, but
 * some of it was dropped; wtr_err() has the details. No part may be in use. */
enum { WTR_GAP = WT_FOLLOW_LEFT + 1 };
int wtr_refresh(struct wtr_trace *trace, uint64_t *behind);

/** The segment's part, loaded; give it back with wtr_part_put. NULL: failed. */
struct wtr_part *wtr_part_get(struct wtr_file *file, uint32_t segment);
void wtr_part_put(struct wtr_part *part);
/** Names of a thread's row. "?" when memory is out. */
const char *wtr_part_process(struct wtr_part *part, uint32_t thread);
const char *wtr_part_exe(struct wtr_part *part, uint32_t thread);
const char *wtr_part_thread(struct wtr_part *part, uint32_t thread);

/** The types of a provider of a log; NULL: failed. */
const struct wtr_schema *wtr_schema_of(struct wtr_file *file, const struct wt_provider *provider);
void wtr_schemas_deinit(struct wtr_trace *trace);

struct wtr_event {
	struct wtr_cursor *cursor;
	struct wtr_part *part;
	const struct wt_log_batch *batch;
	uint32_t index;
	uint64_t time; /**< a copy, so that the batch need not be read */
};

/** A segment that still has events for a cursor. */
struct wtr_stream {
	struct wtr_part *part;
	struct wt_log_iter *iter;
	uint8_t *pids; /**< by thread: selected; NULL: all are */
	const struct wt_log_batch *batch;
	const uint64_t *time; /**< of batch */
	uint32_t index, left; /**< of the events from index on: those that are next in this segment */
};

/** A segment to be opened when its time comes. */
struct wtr_plan {
	uint64_t time;
	uint32_t file, segment;
};

struct wtr_cursor {
	struct wtr_trace *trace;
	bool begun;
	struct wtr_wish {
		char *provider, *event; /**< owned; event NULL: all */
	} * wishes;
	uint32_t n_wishes;
	uint32_t *cpus, *pids;
	uint32_t n_cpus, n_pids;
	uint64_t from, to;   /**< selected */
	uint64_t start;      /**< where it began or was sought; not before from */
	enum wt_code failed; /**< why it ended; WT_OK: it has not; seeking starts it again */
	uint64_t behind;     /**< of a growing log: everything before this place has been delivered */
	char **fields;       /**< owned; the only ones wanted */
	size_t n_fields;
	bool some_fields;      /**< fields holds */
	struct wtr_plan *plan; /**< by time */
	uint32_t n_plan, next_plan;
	struct wtr_stream *streams; /**< by slot */
	struct wt_heads heads;      /**< of the streams, by time and place in the plan */
	uint32_t n_streams, cap_streams;
	uint32_t *spare; /**< free slots; with the n_streams taken they are cap_streams */
	bool moved;      /**< the first of heads has been delivered */
	struct wtr_event event;
	uint32_t stack; /**< the stack in frames; 0: none */
	uint32_t depth;
	const struct wtr_part *stack_part;
	struct wtr_frame **frames; /**< WT_MAX_FRAMES of them; NULL until needed */
	struct wt_buf text;
};

#endif
