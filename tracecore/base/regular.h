/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Opening a file at a path that somebody else may have chosen: a regular file, or nothing at all.
 *
 * With some devices opening alone has an effect (a watchdog begins to run, a tape winds back), and a pipe
 * waits for a writer. So the file is looked at before it is opened, and it is the one looked at that is
 * opened, whatever stands at the path by then. Links are followed. Any thread.
 */
#ifndef TRACECORE_BASE_REGULAR_H
#define TRACECORE_BASE_REGULAR_H

#include "tracecore/base/err.h"

/** Opens the regular file at path for reading: a descriptor of the caller's, the lowest that
 * is free and closed by exec, or -1 with what
 * stands there instead (WT_ERR_FORMAT) or why it cannot be opened. err may be NULL. Without /proc the file is
 * opened by its path and looked at once more behind that. */
int wt_regular_open(const char *path, struct wt_err *err);
/** The same for reading and writing, and not through a link at the path's end. */
int wt_regular_open_rw(const char *path, struct wt_err *err);
/** As wt_regular_open; a path that names a descriptor of this process (/dev/stdin, /dev/fd/N, as a shell
 * gives them) may be anything: the caller has it open already. */
int wt_regular_open_or_held(const char *path, struct wt_err *err);

#endif
