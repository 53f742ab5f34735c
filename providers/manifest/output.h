/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A generated file that is there whole or not at all.
 */
#ifndef PROVIDERS_MANIFEST_OUTPUT_H
#define PROVIDERS_MANIFEST_OUTPUT_H

#include "tracecore/base/buf.h"
#include "tracecore/base/err.h"

/** Writes the buffer to a file of its own beside path and puts that in path's place, so that a build never
 * goes on with half of it. What is there and no regular file (a device, a pipe) is written to and stays. */
int wt_output_write(const char *path, const struct wt_buf *buf, struct wt_err *err);

#endif
