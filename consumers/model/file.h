/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A log file for views: one name for one thing in all segments.
 *
 * Ids of a log never cross segments, so each segment gets arrays that translate its threads and frames into
 * ids of this struct: texts, symbols (function and module), processes and threads by identity (pid or tid and
 * start time, so that a reused pid never merges two). A loop over events is then array look-ups only.
 *
 * Frames the file has no name for are looked up in this machine's files when options allow it. One thread.
 */
#ifndef CONSUMERS_MODEL_FILE_H
#define CONSUMERS_MODEL_FILE_H

#include "consumers/model/frame_name.h"
#include "consumers/model/here.h"
#include "consumers/model/identity.h"
#include "consumers/model/unfold.h"
#include "consumers/symbols/arena.h"
#include "tracecore/base/intern.h"
#include "tracecore/logfmt/read/reader.h"

#define WT_VIEW_NONE UINT32_MAX

/** The name of the recorder's own events. */
#define WT_VIEW_SELF "[wtrace recorder]"
/** The name for CPU time without a sample. */
#define WT_VIEW_UNSAMPLED "[unsampled]"

/** A code address by name; ids of texts, symbol of wt_view_file.symbols. */
struct wt_view_frame {
	uint32_t function; /**< text: demangled name, "[unresolved]" when there is none */
	uint32_t module;   /**< text: path of the image, or a name in brackets: [kernel], [vdso]... */
	uint32_t raw;      /**< text: as in the symbol table; WT_VIEW_NONE when equal to function */
	uint32_t symbol;   /**< id of function and module; WT_VIEW_NONE: this row is not filled yet */
	uint32_t file;     /**< text: source file; WT_VIEW_NONE when not known */
	uint32_t line;
	uint32_t offset; /**< from the start of the function */
	uint8_t reason;  /**< enum wt_unresolved or WT_FRAME_NOT_LOOKED_UP */
	bool local;      /**< the name came from this machine's files, not from the log */
	bool inlined;    /**< an inlined function: its name ends in WT_UNFOLDED_MARK */
};

struct wt_view_segment {
	const struct wt_log_segment *log;    /**< the log's own; batches refer to it */
	const struct wt_log_segment *tables; /**< the log's, or with names from this machine, or with inlined
						functions as frames (unfold.h) */
	struct wt_view_named *named;  /**< owned; with names from this machine; NULL: the log's are enough */
	struct wt_unfolded *unfolded; /**< owned; the memory of tables; NULL: nothing to unfold */
	uint32_t *process_of;         /**< by thread: id of wt_view_file.processes */
	uint32_t *thread_of;          /**< by thread: id of wt_view_file.threads */
	uint32_t *comm_of;            /**< by thread: text, the process's name at that time */
	uint32_t *name_of;            /**< by thread: text, the thread's name */
	struct wt_view_frame *frames; /**< by frame; read through wt_view_frame */
	uint32_t **memos;             /**< by slot; arrays of the keys that use them */
	uint32_t n_memos;
	bool resolved; /**< local files have been searched */
};

struct wt_view_options {
	bool resolve;   /**< look in this machine's files for names the log lacks */
	bool lines;     /**< and for source lines */
	bool no_inline; /**< frames are the functions that symbols name, without those inlined in them */
	uint32_t first_segment;         /**< of the log; earlier ones are left out */
	wt_symbols_watched_fn *watched; /**< as in struct wt_symbols_options, of a running session's log */
	void *watched_ctx;
};

struct wt_view_file {
	struct wt_log_reader *log; /**< borrowed; NULL: segments are added when they are asked for */
	struct wt_view_options options;
	uint64_t origin; /**< session time shown as 0, ns */
	struct wt_strings texts;
	struct wt_intern symbols;   /**< key: a = text of the function, b = text of the module */
	struct wt_intern raw_names; /**< (text of a mangled name, symbol) */
	struct wt_view_identities processes, threads;
	struct wt_view_segment *segments;
	uint32_t n_segments, segments_cap;
	uint32_t last; /**< index of the last segment looked up */
	uint32_t n_slots;
	struct wt_here here; /**< names from this machine's files */
	struct wt_view_frame self_frame, no_frame, unsampled_frame, unknown_frame;
	uint32_t self_text, self_process, self_thread;
};

/** Prepares a view of log and loads the tables of its segments; log NULL: none. Undo with
 * wt_view_file_deinit, also after a failure. */
int wt_view_file_init(struct wt_view_file *file, struct wt_log_reader *log,
		      const struct wt_view_options *options, struct wt_err *err);
void wt_view_file_deinit(struct wt_view_file *file);

/** Returns the translation of a segment, whose tables must outlive the view. */
int wt_view_file_segment(struct wt_view_file *file, const struct wt_log_segment *tables,
			 struct wt_view_segment **ret, struct wt_err *err);

/** Replaces the segment's tables by these, which are equal except for their kinds and must outlive the view.
 */
void wt_view_segment_exchange(struct wt_view_segment *segment, const struct wt_log_segment *tables);

/** Returns the id of a text; WT_VIEW_NONE when memory is out. */
uint32_t wt_view_text(struct wt_view_file *file, const void *bytes, size_t len);

/** Returns the id of the buffer's text, and frees the buffer. WT_VIEW_NONE when memory is out, now or in the
 * buffer. */
uint32_t wt_view_buf_text(struct wt_view_file *file, struct wt_buf *buf);

/** Returns the named frame; an id out of range gives the unknown one. NULL when memory is out. */
const struct wt_view_frame *wt_view_frame(struct wt_view_file *file, struct wt_view_segment *segment,
					  uint32_t frame);
/** Returns the innermost frame of a stack: no_frame for stack 0. */
const struct wt_view_frame *wt_view_leaf(struct wt_view_file *file, struct wt_view_segment *segment,
					 uint32_t stack);
/** Calls fn for the frames of a stack, innermost first, at most WT_MAX_FRAMES. */
int wt_view_each_frame(struct wt_view_file *file, struct wt_view_segment *segment, uint32_t stack,
		       void (*fn)(void *ctx, const struct wt_view_frame *frame, uint32_t index), void *ctx,
		       struct wt_err *err);
/** Like wt_view_leaf, for callers without need of ids, which cost more than the text. The stack is one of the
 * segment's; the strings are valid until the view gets a text. */
struct wt_frame_name wt_view_leaf_name(const struct wt_view_file *file, const struct wt_view_segment *segment,
				       uint32_t stack);
/** Looks up names that the segment's symbols lack, once; does nothing unless options.resolve. The names may
 * include inlined functions. So the tables afterwards are others, with more frames and stacks, and memos are
 * new. */
int wt_view_resolve(struct wt_view_file *file, struct wt_view_segment *segment, struct wt_err *err);

/** Tables with names from this machine beside the log's. */
struct wt_view_named {
	struct wt_log_segment segment;
	struct wt_log_symbol *symbols; /**< owned */
	uint8_t *local;                /**< by frame: its name is from this machine; owned */
	struct wt_arena strings;
};
void wt_view_named_free(struct wt_view_named *named);
/** Makes the segment's tables from these: with inlined functions, unless options exclude them. */
int wt_view_segment_take(const struct wt_view_file *file, struct wt_view_segment *segment,
			 const struct wt_log_segment *from);

/** Returns the id in `to` of an identity of `from`, another view of the same log: of a process, or of a
 * thread. `to` must have entered all segments that `from` has. WT_VIEW_NONE: unknown, or no memory. */
uint32_t wt_view_same_identity(struct wt_view_file *to, const struct wt_view_identities *of_to,
			       const struct wt_view_file *from, const struct wt_view_identities *of_from,
			       uint32_t id);

/** Returns the memo array of a slot: n entries, at first WT_VIEW_NONE. NULL when memory is out. */
uint32_t *wt_view_memo(struct wt_view_file *file, struct wt_view_segment *segment, uint32_t slot, uint32_t n);

/** Returns the module's text for people: the file's name without its directory, or the name in brackets. */
const char *wt_view_module_base(const char *module);
struct wt_str wt_view_module_end(struct wt_str module);

/** Writes "name:module", or "[unknown]" and the like alone. Bytes are not escaped. */
void wt_view_symbol_text(const struct wt_view_file *file, uint32_t symbol, struct wt_buf *out);
/** Writes "name (pid)", followed by the start time when the pid was used twice. */
void wt_view_identity_text(const struct wt_view_file *file, const struct wt_view_identities *identities,
			   uint32_t id, struct wt_buf *out);

#endif
