/* SPDX-License-Identifier: MIT */
/** @file Files read as text: small ones of sysfs, and whole ones up to a bound. */
#ifndef CONSUMERS_PMU_SMALL_FILE_H
#define CONSUMERS_PMU_SMALL_FILE_H

#include <stddef.h>
#include <sys/types.h>

#include "tracecore/base/err.h"

/** Reads up to size - 1 bytes and ends them with a zero, without the line feeds at the end. How many; -1:
 * cannot be read. A zero byte ends the text. */
ssize_t wt_small_read(const char *path, char *text, size_t size);

/** Reads a regular file of at most `most` bytes; *ret ends with a zero, and is freed by the caller. len and
 * err may be NULL. WT_ERR_FORMAT: it is longer. */
int wt_small_read_whole(const char *path, size_t most, char **ret, size_t *len, struct wt_err *err);

#endif
