/* SPDX-License-Identifier: MIT */
/** @file The processes that run a program, by the file name of the program. */
#ifndef CONSUMERS_SAMPLE_IMAGE_H
#define CONSUMERS_SAMPLE_IMAGE_H

#include <stddef.h>
#include <sys/types.h>

#include "tracecore/base/err.h"

/** Fills in at most cap processes whose program's file is called `name` (without directory), except the
 * calling process. *n is their number. WT_ERR_NOTFOUND: there is none that this user may look at. proc:
 * NULL for /proc. */
int wt_sample_image_pids(const char *proc, const char *name, pid_t *ret, size_t cap, size_t *n,
			 struct wt_err *err);
/** The part of a path after the last slash or backslash. */
const char *wt_sample_image_base(const char *path);

#endif
