/* SPDX-License-Identifier: MIT */
/** @file Code that exists only in the memory of a running process: generated code, and code of deleted
 * files. */
#ifndef CONSUMERS_ANNOTATE_PROCESS_H
#define CONSUMERS_ANNOTATE_PROCESS_H

#include "tracecore/base/buf.h"
#include "tracecore/logfmt/read/reader.h"

/** The most bytes that are read. */
#define WT_PROCESS_CODE_MOST 32768u

/** Appends the n bytes at an offset of the image in the process of that thread of the log, or nothing: the
 * process has ended, or its number belongs to another process by now. The code there may have changed
 * since the log was recorded. */
void wt_process_code(const struct wt_log_segment *tables, uint32_t thread, const struct wt_log_image *image,
		     uint64_t offset, uint32_t n, struct wt_buf *out);

#endif
