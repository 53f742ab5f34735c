/* SPDX-License-Identifier: MIT */
/** @file The part of a log that a question selects, as a log of its own. */
#ifndef CONSUMERS_RELOG_RELOG_H
#define CONSUMERS_RELOG_RELOG_H

#include "consumers/analysis/question.h"

/** Zeroed with the first members set it can be opened. */
struct wt_relog {
	const struct wt_question *ask; /**< borrowed, as are the process ids */
	char *const *pids;             /**< only events of these processes; none: of all */
	size_t n_pids;
	bool drop_stacks;
	struct wt_log_reader *log; /**< owned, as is what follows */
	struct wt_view_file file;
	struct wt_view_filter filter, of_pids;
	struct wt_view_select select;
	struct wt_log_filter range;
};

/** Opens the log at path. `shown` as in wt_question_filter. Undo with wt_relog_close, also after a failure.
 */
int wt_relog_open(struct wt_relog *relog, const char *path, struct wt_buf *shown, struct wt_err *err);
/** Writes the log to an empty regular file. *events: its number of events. A question that selects nothing
 * copies the whole log, without damaged blocks. */
int wt_relog_write(struct wt_relog *relog, int fd, struct wt_listener listener, uint64_t *events,
		   struct wt_err *err);
/** Writes one JSON object and a newline: what was taken of the log; file: the new log. */
void wt_relog_json(const struct wt_relog *relog, const char *file, uint64_t events, struct wt_buf *out);
void wt_relog_close(struct wt_relog *relog);

#endif
