/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Following a log while it grows: the file of a session that runs, or any file somebody still writes.
 *
 * A session's log ends with the session, and goes on in another file when the session drops its oldest part.
 * A file of its own ends when it is complete; a copy that arrives, also when it loses its name or another
 * file takes it. Bytes come within a second of the events. The log is the caller's: a look adds to it, and
 * tables of its segments may be unloaded then.
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
	enum wt_log_growth growth; /**< of a file that is no session's */
	bool ended;
};

/** Follows the log of a session that runs. WT_ERR_NOTFOUND: none of that name does. After a failure, too:
 * wt_follow_close. */
int wt_follow_session(struct wt_follow *follow, const char *session, struct wt_err *err);
/** Follows a file: WT_LOG_GROWS, somebody records it; WT_LOG_ARRIVES, it is copied here. */
int wt_follow_file(struct wt_follow *follow, const char *path, enum wt_log_growth growth, struct wt_err *err);
/** Zeroed with fd -1 is fine. */
void wt_follow_close(struct wt_follow *follow);

/** Opens the log: what is there by now. */
int wt_follow_open(const struct wt_follow *follow, struct wt_log_reader **ret, struct wt_err *err);

enum wt_follow_state {
	WT_FOLLOW_FAILED = -1,
	WT_FOLLOW_MORE = 0, /**< the log has more than before */
	WT_FOLLOW_NOT_YET = 1,
	WT_FOLLOW_ENDED = 2, /**< there will be no more */
	WT_FOLLOW_LEFT = 3,  /**< nor in this file, but the session runs on in another one */
};
/** Takes up what came since. *log NULL: opens it as soon as there is something. */
enum wt_follow_state wt_follow_look(struct wt_follow *follow, struct wt_log_reader **log, struct wt_err *err);
/** Says that the session has left its file: who cannot move with it begins anew. WT_ERR_LIMIT. */
int wt_follow_fail_left(const struct wt_follow *follow, struct wt_err *err);
/** After WT_FOLLOW_LEFT: opens the log the session goes on in, and follows that. *next says where it goes on
 * from `before`, which stays the caller's. WT_ERR_LIMIT as above: that is not known. */
int wt_follow_move(struct wt_follow *follow, const struct wt_log_reader *before, struct wt_log_reader **ret,
		   struct wt_log_succession *next, struct wt_err *err);

#endif
