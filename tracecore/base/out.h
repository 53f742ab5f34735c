/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Buffered results on their way to standard output.
 *
 * The writer appends to buf and calls wt_out_flow now and then, and wt_out_end at the end. When the reader
 * has ended (EPIPE) the functions fail with an empty error, because no message is needed. A full disk gives
 * a message.
 */
#ifndef TRACECORE_BASE_OUT_H
#define TRACECORE_BASE_OUT_H

#include <stdio.h>

#include "tracecore/base/err.h"
#include "tracecore/base/foreign.h"

struct wt_out {
	struct wt_buf buf;
	FILE *stream;
};

/** Writes the buffer out when it holds 64 KiB or more. */
int wt_out_flow(struct wt_out *out, struct wt_err *err);
/** Writes the rest out and frees the buffer. */
int wt_out_end(struct wt_out *out, struct wt_err *err);

#endif
