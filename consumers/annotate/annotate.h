/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Functions of a log with their hits: by source line and by instruction.
 *
 * A hit is an event whose innermost frame is at that address. wt_annotate_batch gathers hits in the one pass
 * in which a counter (consumers/analysis) counts the log; the counter's filter, events and range decide which
 * events are hits. wt_annotate_finish takes the hottest functions of each table of the counter, or the
 * functions that are named, and looks for their code, their lines and the text of their source.
 *
 * The unit is the function that a symbol names: functions that were inlined into it are lines of it. Two
 * functions of one name in one module are two. The sum of the hits of a function's lines, the sum of those of
 * its instructions, and the function's own are equal, except that lines lack hits of which no line is known
 * (unplaced).
 *
 * Skid: an event stands at the instruction at which the CPU was interrupted. The instruction that caused it
 * is this one or one that was executed shortly before.
 *
 * A log needs nothing but itself for hits by address and by the lines that were written at stop. Code and
 * further lines come from this machine's files, where they are proved to be those that were mapped, or from
 * the process, if it still runs. All strings of a result live until wt_annotation_deinit; bytes of strings
 * are as they were found, not escaped. One thread.
 */
#ifndef CONSUMERS_ANNOTATE_ANNOTATE_H
#define CONSUMERS_ANNOTATE_ANNOTATE_H

#include "consumers/analysis/counter.h"

/** No line, no target. */
#define WT_ANNOTATE_NONE UINT32_MAX

/** The number of functions of one table that are annotated if the user gives no number. */
enum { WT_ANNOTATE_TOP = 10 };

/** A source line for which the compiler made code. Lines are sorted by file and line; the function's own
 * file comes first. */
struct wt_annotated_line {
	struct wt_str file;    /**< as the debug information has it, joined with the compilation directory */
	uint32_t line;         /**< from 1 */
	struct wt_str inlined; /**< the function that was inlined there; empty: none was */
	uint64_t hits;
	struct wt_str text; /**< of the source, without its end; p NULL: the file was not found */
};

/** An instruction. Instructions are sorted by address. */
struct wt_annotated_instruction {
	uint64_t address;    /**< in the image's own address space, as disassemblers show it */
	struct wt_str bytes; /**< empty: the code was not found, and only addresses with hits are listed */
	struct wt_str text;  /**< without bytes and address; empty: no disassembler */
	uint64_t hits;
	uint32_t line;   /**< index of the function's lines, or WT_ANNOTATE_NONE */
	uint32_t target; /**< index of the instruction that it jumps to within the function, or
			    WT_ANNOTATE_NONE */
	bool block;      /**< a basic block begins here */
};

struct wt_annotated_function {
	struct wt_str event;  /**< the sampled event, or the subject of the table */
	struct wt_str name;   /**< demangled */
	struct wt_str module; /**< path of the image, or a name in brackets */
	uint64_t hits;
	uint64_t table_hits;             /**< of all code in the table */
	uint64_t unplaced;               /**< hits at addresses whose line is not known */
	struct wt_annotated_line *lines; /**< n_lines of them; owned */
	uint32_t n_lines;
	struct wt_annotated_instruction *instructions; /**< n_instructions of them; owned */
	uint32_t n_instructions;
	struct wt_str no_code;   /**< one line: why there are no bytes or texts; empty: they are there */
	struct wt_str no_source; /**< one line: why lines or their texts are missing; empty: they are there */
};

/** Functions by table, the hottest first in each. */
struct wt_annotation {
	struct wt_annotated_function *functions; /**< owned */
	uint32_t n;
	uint32_t n_left_out; /**< functions with hits that `top` left out */
	struct wt_arena texts;
};

/** Zeroed: the hottest WT_ANNOTATE_TOP functions of each table, with everything that can be found about
 * them. */
struct wt_annotate_choice {
	const char *const
		*functions; /**< NAME or NAME:MODULE, as for view --callers-of; n_functions of them */
	size_t n_functions;
	uint32_t top; /**< of each table; 0: WT_ANNOTATE_TOP, or all functions with the given names */
	const char *source_prefix; /**< source files are also looked for below this directory; NULL: none */
	const char *disassembler;  /**< NULL: whichever is there (consumers/disasm/disasm.h) */
	bool no_source;            /**< no texts of source lines */
	bool no_asm;               /**< no instructions */
	bool no_resolve;           /**< use no files and processes of this machine except the source */
};

/** Hits that were gathered. Zeroed: none. */
struct wt_annotate {
	struct wt_view_counter *counter; /**< borrowed */
	struct wt_intern places; /**< (root of the counter's rows, segment << 32 | frame of the log) */
	struct wt_annotate_hit {
		uint64_t count;
		uint64_t time;   /**< of the last one */
		uint32_t thread; /**< that it was of */
	} * hits;                /**< by place; owned */
	uint32_t cap;
};

/** For a counter that is prepared; undo with wt_annotate_deinit. */
void wt_annotate_init(struct wt_annotate *annotate, struct wt_view_counter *counter);
void wt_annotate_deinit(struct wt_annotate *annotate);
/** Takes the hits of a batch that the counter has just counted (wt_view_counter_batch). */
int wt_annotate_batch(struct wt_annotate *annotate, const struct wt_log_batch *batch, struct wt_err *err);

/** Makes the result. WT_ERR_USAGE when a named function has no hits, naming the nearest. Undo with
 * wt_annotation_deinit, also after a failure. */
int wt_annotate_finish(const struct wt_annotate *annotate, const struct wt_annotate_choice *choice,
		       struct wt_annotation *ret, struct wt_err *err);
void wt_annotation_deinit(struct wt_annotation *annotation);

#endif
