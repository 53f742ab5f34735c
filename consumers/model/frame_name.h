/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What a frame of a log is called: names from the log first, then from this machine's files, and words for
 * what has none. What everybody who shows stacks has in common.
 */
#ifndef CONSUMERS_MODEL_FRAME_NAME_H
#define CONSUMERS_MODEL_FRAME_NAME_H

#include "tracecore/event.h"
#include "tracecore/logfmt/read/reader.h"

/** A reason beside those of enum wt_unresolved: the log has no names (cut before they were written) and this
 * machine was not asked. */
#define WT_FRAME_NOT_LOOKED_UP 9

enum { WT_N_FRAME_REASONS = 15, WT_N_STACK_STATUSES = WT_STACK_LAST + 1 };

/** Frames of a stack that are looked at: the kernel's and a thousand of the program's. */
enum { WT_MAX_FRAMES = 2048 };

/** In words, by reason and by enum wt_stack_status. */
extern const char *const wt_frame_reason_names[WT_N_FRAME_REASONS];
extern const char *const wt_stack_status_names[WT_N_STACK_STATUSES];

/** A code address in words. */
struct wt_frame_name {
	struct wt_str function; /**< demangled; a name in brackets when reason is not WT_RESOLVED */
	struct wt_str raw;      /**< as in the symbol table; empty: as function */
	struct wt_str module;   /**< path of the image, or a name in brackets: [kernel], [vdso]... */
	struct wt_str file;     /**< of the source; empty: not known */
	uint32_t line;          /**< 0: not known */
	uint32_t offset;        /**< from the start of the function */
	uint8_t reason;         /**< enum wt_unresolved or WT_FRAME_NOT_LOOKED_UP */
};

/** The image of a frame. */
const struct wt_log_image *wt_frame_image(const struct wt_log_segment *tables, uint32_t frame);

/** What the log's own symbol of a frame is; an empty one where it has none. */
const struct wt_log_symbol *wt_frame_log_symbol(const struct wt_log_segment *tables, uint32_t frame);

/** How the frame is called when its symbol is that one. The strings are the symbol's, the image's, or static.
 */
struct wt_frame_name wt_frame_name(const struct wt_log_segment *tables, uint32_t frame,
				   const struct wt_log_symbol *symbol);

/** This machine's files may know more of the frame than the log: its name, or with lines its source line. */
bool wt_frame_wants_local(const struct wt_log_segment *tables, uint32_t frame, bool lines);

/** The log's symbol and what was found here: a name the log has stays, only what it lacks is taken from here.
 */
struct wt_log_symbol wt_frame_merge(const struct wt_log_segment *tables, uint32_t frame,
				    const struct wt_log_symbol *here);

#endif
