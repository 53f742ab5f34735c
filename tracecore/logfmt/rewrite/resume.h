/* SPDX-License-Identifier: MIT */
/** @file A writer that continues or ends a log left by another writer. One thread. */
#ifndef TRACECORE_LOGFMT_REWRITE_RESUME_H
#define TRACECORE_LOGFMT_REWRITE_RESUME_H

#include "tracecore/logfmt/write/writer.h"

/** Continues a file that a dead recorder left: truncates it after its last checkpoint, gives that
 * checkpoint's positions (malloc'd, *n of them; none if there was no checkpoint) and begins a new segment.
 * WT_ERR_FORMAT when the file is empty or cut within its file header. */
int wt_log_resume(int fd, const struct wt_kinds *kinds, const struct wt_log_options *options,
		  struct wt_log_writer **ret, struct wt_log_position **positions, size_t *n,
		  struct wt_err *err);

/** As wt_log_resume, for a log that no recorder continues: keeps everything up to its last whole block. The
 * new segment is only for events that must still be reported. */
int wt_log_reopen(int fd, const struct wt_kinds *kinds, const struct wt_log_options *options,
		  struct wt_log_writer **ret, struct wt_err *err);

#endif
