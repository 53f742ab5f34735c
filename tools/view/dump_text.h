/* SPDX-License-Identifier: MIT */
/** @file One event as a line of text, all fields decoded. */
#ifndef TOOLS_VIEW_DUMP_TEXT_H
#define TOOLS_VIEW_DUMP_TEXT_H

#include "consumers/export/dump.h"

/** Appends event i of the batch as a line; with --stack also the lines of its stack. */
int wt_dump_text(struct wt_dump *dump, const struct wt_log_batch *batch, uint32_t i, struct wt_buf *out,
		 struct wt_err *err);

#endif
