/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Writes a generated file completely or not at all.
 */
#ifndef PROVIDERS_MANIFEST_OUTPUT_H
#define PROVIDERS_MANIFEST_OUTPUT_H

#include "tracecore/base/buf.h"
#include "tracecore/base/err.h"

/** Writes the buffer to a new file beside path and renames that to path, so that a build never uses an
 * incomplete file. An existing file that is not regular (a device, a pipe) is written to and stays. */
int wt_output_write(const char *path, const struct wt_buf *buf, struct wt_err *err);

#endif
