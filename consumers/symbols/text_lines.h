/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Reads text files of the kernel and of the system's package manager line by line.
 *
 * Files are read in pieces, regular ones only and without ever waiting. Lines longer than 256 KiB are left
 * out. One thread.
 */
#ifndef CONSUMERS_SYMBOLS_TEXT_LINES_H
#define CONSUMERS_SYMBOLS_TEXT_LINES_H

#include <stdbool.h>

#include "tracecore/base/cursor.h"

/** Calls fn for each line, without its newline; fn returns false to end. -1: the file could not be read. */
int wt_each_line(const char *path, bool (*fn)(void *ctx, struct wt_cursor line), void *ctx);

#endif
