/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Logs of one machine between two of its boots, and their segments sorted by time: one log can be written of
 * them. Nothing is decoded or left out. Logs that begin at the same time keep the order of their paths.
 */
#ifndef CONSUMERS_RELOG_MERGE_H
#define CONSUMERS_RELOG_MERGE_H

#include <stddef.h>

#include "tracecore/base/buf.h"
#include "tracecore/logfmt/rewrite/copy.h"

struct wt_log_merge {
	const char *const *paths;    /**< borrowed */
	struct wt_log_reader **logs; /**< owned */
	size_t n_logs;
	/** In the order they are written; owned. */
	struct wt_log_part {
		struct wt_log_reader *log;
		size_t order; /**< of the log among the paths */
		uint32_t segment;
		struct wt_log_extent extent;
	} * parts;
	size_t n_parts;
	uint64_t bytes;
};

/** Opens all logs, at least one, and refuses those of different machines or boots. Undo with
 * wt_log_merge_close, also after a failure. */
int wt_log_merge_open(struct wt_log_merge *merge, const char *const *paths, size_t n, struct wt_err *err);
/** Writes one log to an empty regular file. It has the session id of the logs if all have one and the same,
 * or else a new id. *events: its number of events. */
int wt_log_merge_write(const struct wt_log_merge *merge, int fd, const struct wt_listener *listener,
		       uint64_t *events, struct wt_err *err);
/** Writes one JSON object and a newline: what was made of the logs; file: the new log. */
void wt_log_merge_json(const struct wt_log_merge *merge, const char *file, uint64_t events,
		       struct wt_buf *out);
void wt_log_merge_close(struct wt_log_merge *merge);

#endif
