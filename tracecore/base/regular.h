/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Opens a file at a path that another user may have chosen, but only if it is a regular file.
 *
 * Opening some devices already has an effect (a watchdog starts, a tape rewinds), and opening a pipe waits
 * for a writer. So the file is checked before it is opened, and exactly the checked file is opened, even if
 * another file is at the path by then. Links are followed. Any thread.
 */
#ifndef TRACECORE_BASE_REGULAR_H
#define TRACECORE_BASE_REGULAR_H

#include "tracecore/base/err.h"

/** Opens the regular file at path for reading. The caller owns the descriptor, which is the lowest free one
 * and is closed by exec. Returns -1 when the path leads to something else (WT_ERR_FORMAT) or cannot be
 * opened. err may be NULL. Without /proc the file is opened by its path and checked again afterwards. */
int wt_regular_open(const char *path, struct wt_err *err);
/** As wt_regular_open, for reading and writing; a link at the end of the path is not followed. */
int wt_regular_open_rw(const char *path, struct wt_err *err);
/** As wt_regular_open. A path that names a descriptor of this process (/dev/stdin, /dev/fd/N, as given by a
 * shell) may be of any type: the caller has it open already. */
int wt_regular_open_or_held(const char *path, struct wt_err *err);

#endif
