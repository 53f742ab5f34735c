/* SPDX-License-Identifier: MIT */
/** @file Shared by the parts of annotate; no other file includes this. */
#ifndef CONSUMERS_ANNOTATE_WORK_H
#define CONSUMERS_ANNOTATE_WORK_H

#include "consumers/annotate/annotate.h"
#include "consumers/annotate/source.h"
#include "consumers/disasm/disasm.h"

/** A place with hits: code of one table. */
struct wt_annotate_place {
	uint32_t root, name, module, image; /**< ids of texts, except for the root */
	uint64_t start;                     /**< offset of the function */
	uint64_t offset;                    /**< of the hit, as in struct wt_log_frame */
	uint64_t count;
	const struct wt_log_segment *tables; /**< with names */
	uint32_t frame, thread;
	bool named; /**< a symbol is there */
};

/** The state of making annotations. */
struct wt_annotate_work {
	struct wt_view_file *file; /**< borrowed, as choice */
	const struct wt_annotate_choice *choice;
	struct wt_symbols *symbols;          /**< owned; NULL: nothing from here */
	const struct wt_log_segment *proved; /**< that symbols are of */
	struct wt_disasm *disasm[2];         /**< by architecture; owned */
	struct wt_buf no_disasm[2];          /**< why there is none */
	struct wt_disasm_text text;          /**< scratch */
	struct wt_sources sources;
	struct wt_arena *texts; /**< of the result */
};

/** The string in the result; p is NULL when memory is out. */
struct wt_str wt_annotate_keep(struct wt_annotate_work *work, const void *bytes, size_t len);

/** All places with hits, by wt_annotate_order and offset. *ret is the caller's, also after a failure. */
int wt_annotate_places(const struct wt_annotate *annotate, struct wt_annotate_place **ret, uint32_t *n,
		       struct wt_err *err);
/** The order of tables, images and functions; 0: places of one function. */
int wt_annotate_order(const struct wt_annotate_place *a, const struct wt_annotate_place *b);

/** Opens what is known here of images of the viewed log. */
int wt_annotate_symbols(const struct wt_view_options *view, struct wt_symbols **ret, struct wt_err *err);
/** Finds where the function of a place lies, and appends its bytes where a file has them. With a reason,
 * address and start are both the place's own start. */
int wt_annotate_where(struct wt_annotate_work *work, const struct wt_annotate_place *place,
		      struct wt_symbols_code *ret, struct wt_buf *bytes, struct wt_err *err);

/** Fills lines and instructions of a function from its places, n of them by offset. */
int wt_annotate_fill(struct wt_annotate_work *work, const struct wt_annotate_place *places, uint32_t n,
		     struct wt_annotated_function *function, struct wt_err *err);
/** Fills lines from the function's instructions; rows have the facts about each instruction. */
int wt_annotate_lines(struct wt_annotate_work *work, const struct wt_log_symbol *rows,
		      const struct wt_log_image *image, struct wt_annotated_function *function,
		      struct wt_err *err);

#endif
