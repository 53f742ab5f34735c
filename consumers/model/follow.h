/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Follows a log while it grows: the file of a running session, or any file that is still written.
 *
 * A session's log ends with the session, and goes on in another file when the session drops its oldest part.
 * Another file ends when it is complete. A copy that arrives also ends when its name is removed or given to
 * another file. Bytes come within a second of the events. The caller owns the log. A look adds to it, and
 * may unload tables of its segments.
 */
#ifndef CONSUMERS_MODEL_FOLLOW_H
#define CONSUMERS_MODEL_FOLLOW_H

#include <limits.h>

#include "consumers/session/place.h"
#include "tracecore/logfmt/read/reader.h"

struct wt_follow {
	char path[PATH_MAX];
	int fd; /**< the file that is followed; -1: none */
	struct wt_place place;
	bool has_place;
	enum wt_log_growth growth; /**< for a file that belongs to no session */
	bool ended;
};

/** Follows the log of a running session. WT_ERR_NOTFOUND: no session of that name runs. Call wt_follow_close
 * after a failure, too. */
int wt_follow_session(struct wt_follow *follow, const char *session, struct wt_err *err);
/** Follows a file: WT_LOG_GROWS: it is being recorded; WT_LOG_ARRIVES: it is being copied here. */
int wt_follow_file(struct wt_follow *follow, const char *path, enum wt_log_growth growth, struct wt_err *err);
/** A struct that is zeroed with fd -1 is allowed. */
void wt_follow_close(struct wt_follow *follow);

/** Opens the log with everything in it by now. */
int wt_follow_open(const struct wt_follow *follow, struct wt_log_reader **ret, struct wt_err *err);

enum wt_follow_state {
	WT_FOLLOW_FAILED = -1,
	WT_FOLLOW_MORE = 0, /**< the log has more than before */
	WT_FOLLOW_NOT_YET = 1,
	WT_FOLLOW_ENDED = 2, /**< there will be no more */
	WT_FOLLOW_LEFT = 3,  /**< nor in this file, but the session continues in another one */
};
/** Takes new data. *log NULL: opens the log as soon as there is data. */
enum wt_follow_state wt_follow_look(struct wt_follow *follow, struct wt_log_reader **log, struct wt_err *err);
/** Reports that the session has left its file, for callers that cannot move with it and must begin anew.
 * WT_ERR_LIMIT. */
int wt_follow_fail_left(const struct wt_follow *follow, struct wt_err *err);
/** After WT_FOLLOW_LEFT: opens the log that the session continues in, and follows it. *next gives the
 * position there that continues `before`, which the caller keeps. WT_ERR_LIMIT as above: the position is
 * unknown. */
int wt_follow_move(struct wt_follow *follow, const struct wt_log_reader *before, struct wt_log_reader **ret,
		   struct wt_log_succession *next, struct wt_err *err);

#endif
