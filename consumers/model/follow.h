/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Waiting for a log to grow: the file of a session that runs, or any file somebody still writes.
 *
 * It ends when the session does, or, for a file, when it gets another one in its place or loses its name;
 * that a log is complete the caller sees himself. Its bytes come within a second of the events.
 */
#ifndef CONSUMERS_MODEL_FOLLOW_H
#define CONSUMERS_MODEL_FOLLOW_H

#include <limits.h>

#include "consumers/session/place.h"
#include "tracecore/logfmt/read/reader.h"

struct wt_follow {
	char path[PATH_MAX];
	int fd; /**< the file that was there first; -1: none */
	struct wt_place place;
	bool has_place;
	uint64_t size; /**< at the last wait */
};

/** Follows the file, or, path NULL, that session's. */
int wt_follow_open(struct wt_follow *follow, const char *path, const char *session, struct wt_err *err);
/** Waits until there is more to read than the last time (0), or there will be no more or an interrupt came
 * (1). */
int wt_follow_wait(struct wt_follow *follow, struct wt_err *err);
/** The session runs on in another file: it has dropped the oldest part of its log. */
bool wt_follow_is_left(const struct wt_follow *follow);
/** The session is over: what it wrote last stays, too. */
bool wt_follow_is_over(const struct wt_follow *follow);
/** A reader of what there is now, *log NULL; or what came since is added to it, and tables of its segments
 * may be unloaded. */
int wt_follow_read(const struct wt_follow *follow, struct wt_log_reader **log, struct wt_err *err);
/** Zeroed with fd -1 is fine. */
void wt_follow_close(struct wt_follow *follow);

#endif
