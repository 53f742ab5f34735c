/* SPDX-License-Identifier: MIT */
/** @file One event as a line of text or as one JSON object, all fields decoded, and the state that all forms
 * of dump share. */
#ifndef CONSUMERS_EXPORT_DUMP_H
#define CONSUMERS_EXPORT_DUMP_H

#include <time.h>

#include "consumers/model/chains.h"

struct wt_dump_csv;

struct wt_dump {
	struct wt_view_file *file;       /**< borrowed */
	const struct wt_clockset *clock; /**< for wall time */
	struct wt_dump_csv *csv;         /**< columns; borrowed; NULL: not as CSV */
	bool absolute;                   /**< wall time, too */
	bool stack;                      /**< text: the frames below the line */
	time_t second;                   /**< of `second_text` */
	char second_text[32];

	/* working state */
	uint32_t slots; /**< text: of wt_view_memo, by thread and by kind */
	bool has_slots;
	struct wt_chains chains;
};

/** Frees the working state; borrowed things stay. */
void wt_dump_deinit(struct wt_dump *dump);

/** Appends event i of the batch as a line; with `stack` also the lines of its stack. */
int wt_dump_text(struct wt_dump *dump, const struct wt_log_batch *batch, uint32_t i, struct wt_buf *out,
		 struct wt_err *err);
/** Appends event i of the batch as one line of JSON. */
int wt_dump_json(struct wt_dump *dump, const struct wt_log_batch *batch, uint32_t i, struct wt_buf *out,
		 struct wt_err *err);

#endif
