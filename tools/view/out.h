/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Buffered results on their way to standard output.
 *
 * Whoever writes appends to buf and calls wt_out_flow now and then; at the end wt_out_end. A reader that went
 * away (EPIPE) is not worth a message: the functions fail with an empty error. A full disk is.
 */
#ifndef TOOLS_VIEW_OUT_H
#define TOOLS_VIEW_OUT_H

#include <stdio.h>

#include "tracecore/base/err.h"
#include "tracecore/base/foreign.h"

struct wt_out {
	struct wt_buf buf;
	FILE *stream;
};

/** Hands the buffer out when it holds 64 KiB or more. */
int wt_out_flow(struct wt_out *out, struct wt_err *err);
/** Hands out what is left and frees the buffer. */
int wt_out_end(struct wt_out *out, struct wt_err *err);

#endif
