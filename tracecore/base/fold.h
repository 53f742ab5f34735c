/* SPDX-License-Identifier: MIT */
/** @file Text for people, folded between its words. */
#ifndef TRACECORE_BASE_FOLD_H
#define TRACECORE_BASE_FOLD_H

#include "tracecore/base/buf.h"

/** Appends the words of the text, and a line end. Each line begins at `column` and has at most `width` bytes,
 * unless one word alone is longer; `at` is how far the first line has come. Bytes that are not fit for a
 * terminal are escaped. */
void wt_fold(const char *text, size_t at, size_t column, size_t width, struct wt_buf *out);

#endif
