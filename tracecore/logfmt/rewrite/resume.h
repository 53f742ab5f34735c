/* SPDX-License-Identifier: MIT */
/** @file A writer for a log that another writer left: to go on with it, or to end it. One thread. */
#ifndef TRACECORE_LOGFMT_REWRITE_RESUME_H
#define TRACECORE_LOGFMT_REWRITE_RESUME_H

#include "tracecore/logfmt/write/writer.h"

/** Goes on with a file a dead recorder left: truncates it behind its last checkpoint, hands out that
 * checkpoint's positions (malloc'd, *n of them; none if there was no checkpoint) and begins a new segment.
 * Cut within its file header, or empty, there is nothing to go on with: WT_ERR_FORMAT. */
int wt_log_resume(int fd, const struct wt_kinds *kinds, const struct wt_log_options *options,
		  struct wt_log_writer **ret, struct wt_log_position **positions, size_t *n,
		  struct wt_err *err);

/** As wt_log_resume, for a log that nobody goes on with: everything up to its last whole block is kept, and
 * the new segment is only for what is still to be reported. */
int wt_log_reopen(int fd, const struct wt_kinds *kinds, const struct wt_log_options *options,
		  struct wt_log_writer **ret, struct wt_err *err);

#endif
