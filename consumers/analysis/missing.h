/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Missing names and cut stacks, by module: how many samples they touch, and what the log says about the
 * file's origin.
 *
 * A stack lacks something because of a module when code of that module in it has no name (the reasons of
 * wt_view_frame), or when it ended in that module before its root: no unwind data there, data that led
 * nowhere, or code that keeps no frame pointers. Counted per stack of the log, not per event. One thread.
 */
#ifndef CONSUMERS_ANALYSIS_MISSING_H
#define CONSUMERS_ANALYSIS_MISSING_H

#include "consumers/analysis/facts.h"

/** The origin of a file on the recorded machine; texts, "" for unknown. */
struct wt_view_package {
	uint32_t name, version, architecture, source, system;
};

/** One build of one module. */
struct wt_view_lack {
	uint32_t module;    /**< text, as in wt_view_frame */
	uint32_t build_id;  /**< text: raw bytes, maybe none */
	uint8_t kind;       /**< enum wt_image_kind */
	uint64_t affected;  /**< events whose stack lacks something because of it, each once */
	uint64_t exclusive; /**< of them, those that happened in code of it without a name */
	uint64_t inclusive; /**< with code of it without a name anywhere */
	uint64_t cut;       /**< with a stack that ended in it */
	uint64_t reasons[WT_N_FRAME_REASONS]; /**< of `inclusive`, by the outermost code without a name */
	uint64_t cuts[WT_N_STACK_STATUSES];   /**< of `cut` */
	struct wt_view_package package;       /**< name WT_VIEW_NONE: not known */
};

struct wt_view_missing {
	struct wt_view_file *file;  /**< borrowed */
	struct wt_intern keys;      /**< (module, build id) -> index into lacks */
	struct wt_view_lack *lacks; /**< owned */
	uint32_t cap;
	struct wt_intern modules; /**< every module with code in a stack that was counted */
	uint64_t events;          /**< with a stack or a code address, the recorder's own left out */
	uint64_t affected;        /**< of them, those that lack anything, each once */
	uint64_t **counts;        /**< by segment, then by stack; owned */
	uint32_t n_counts;
};

void wt_view_missing_init(struct wt_view_missing *missing, struct wt_view_file *file);
void wt_view_missing_deinit(struct wt_view_missing *missing);

/** Counts the events of a batch whose rows[i] is not WT_VIEW_NONE. */
int wt_view_missing_tally(struct wt_view_missing *missing, const struct wt_log_batch *batch,
			  const uint32_t *rows, struct wt_err *err);
/** Makes the rows after the last tally, those whose remedy helps most first, and finds their packages. */
int wt_view_missing_finish(struct wt_view_missing *missing, struct wt_err *err);

#endif
