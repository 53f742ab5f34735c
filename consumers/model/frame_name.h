/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The name of a log's frame: from the log first, then from this machine's files, otherwise a word in
 * brackets. Shared by everything that shows stacks.
 */
#ifndef CONSUMERS_MODEL_FRAME_NAME_H
#define CONSUMERS_MODEL_FRAME_NAME_H

#include "tracecore/event.h"
#include "tracecore/logfmt/read/reader.h"

/** A reason beside those of enum wt_unresolved: the log has no names (it was cut before they were written)
 * and this machine's files were not searched. */
#define WT_FRAME_NOT_LOOKED_UP 9

enum { WT_N_FRAME_REASONS = 15, WT_N_STACK_STATUSES = WT_STACK_LAST + 1 };

/** Most frames of a stack that are looked at: the kernel's and a thousand of the program's. */
enum { WT_MAX_FRAMES = 2048 };

/** The texts by reason, and by enum wt_stack_status. */
extern const char *const wt_frame_reason_names[WT_N_FRAME_REASONS];
extern const char *const wt_stack_status_names[WT_N_STACK_STATUSES];

/** The texts for a code address. */
struct wt_frame_name {
	struct wt_str function; /**< demangled; a name in brackets when reason is not WT_RESOLVED */
	struct wt_str raw;      /**< as in the symbol table; empty: equal to function */
	struct wt_str module;   /**< path of the image, or a name in brackets: [kernel], [vdso]... */
	struct wt_str file;     /**< of the source; empty: not known */
	uint32_t line;          /**< 0: not known */
	uint32_t offset;        /**< from the start of the function */
	uint8_t reason;         /**< enum wt_unresolved or WT_FRAME_NOT_LOOKED_UP */
};

/** The image of a frame. */
const struct wt_log_image *wt_frame_image(const struct wt_log_segment *tables, uint32_t frame);

/** Returns the log's own symbol of a frame; an empty one where the log has none. */
const struct wt_log_symbol *wt_frame_log_symbol(const struct wt_log_segment *tables, uint32_t frame);

/** Returns the name of the frame when its symbol is that one. The strings are the symbol's, the image's, or
 * static. */
struct wt_frame_name wt_frame_name(const struct wt_log_segment *tables, uint32_t frame,
				   const struct wt_log_symbol *symbol);

/** True when this machine's files may add to the log's facts about the frame: its name, or with lines its
 * source line. */
bool wt_frame_wants_local(const struct wt_log_segment *tables, uint32_t frame, bool lines);

/** Merges the log's symbol with the one found on this machine: the log's facts stay, and missing ones are
 * added. */
struct wt_log_symbol wt_frame_merge(const struct wt_log_segment *tables, uint32_t frame,
				    const struct wt_log_symbol *here);

#endif
