// SPDX-License-Identifier: MIT
#include "consumers/model/follow.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracecore/base/regular.h"

static int open_path(struct wt_follow *follow, struct wt_err *err)
{
	follow->fd = wt_regular_open(follow->path, err);
	return follow->fd < 0 ? -1 : 0;
}

int wt_follow_session(struct wt_follow *follow, const char *session, struct wt_err *err)
{
	*follow = (struct wt_follow){.fd = -1};
	if (wt_place_open(session, &follow->place, err))
		return -1;
	follow->has_place = true;
	if (!wt_place_alive(&follow->place) || !wt_place_has_part(&follow->place))
		return wt_fail(err, WT_ERR_NOTFOUND, "no session '%s' is running", session);
	wt_place_part_path(&follow->place, follow->path);
	return open_path(follow, err);
}

int wt_follow_file(struct wt_follow *follow, const char *path, enum wt_log_growth growth, struct wt_err *err)
{
	*follow = (struct wt_follow){.fd = -1, .growth = growth};
	if (snprintf(follow->path, sizeof(follow->path), "%s", path) >= (int)sizeof(follow->path))
		return wt_fail(err, WT_ERR_USAGE, "the path of the log is too long");
	return open_path(follow, err);
}

void wt_follow_close(struct wt_follow *follow)
{
	if (follow->fd >= 0)
		close(follow->fd);
	if (follow->has_place)
		wt_place_close(&follow->place);
	*follow = (struct wt_follow){.fd = -1};
}

static bool has_its_name(const struct wt_follow *follow)
{
	struct stat now, then;

	return stat(follow->path, &now) == 0 && fstat(follow->fd, &then) == 0 && now.st_ino == then.st_ino &&
	       now.st_dev == then.st_dev;
}

/* True while a process may still write to the file. A later session of that name writes another file. */
static bool is_written(const struct wt_follow *follow)
{
	if (follow->has_place)
		return wt_place_alive(&follow->place) && wt_place_part_is(&follow->place, follow->fd);
	return follow->growth == WT_LOG_GROWS || has_its_name(follow);
}

static enum wt_log_growth growth_of(const struct wt_follow *follow, bool written)
{
	if (!follow->has_place)
		return follow->growth;
	return written ? WT_LOG_GROWS : WT_LOG_ENDED;
}

static int open_log(const struct wt_follow *follow, enum wt_log_growth growth, struct wt_log_reader **ret,
		    struct wt_err *err)
{
	int fd = fcntl(follow->fd, F_DUPFD_CLOEXEC, 0);

	if (fd < 0)
		return wt_fail_errno(err, "cannot open %s", follow->path);
	return wt_log_open_growing(fd, follow->path, growth, ret, err);
}

int wt_follow_open(const struct wt_follow *follow, struct wt_log_reader **ret, struct wt_err *err)
{
	return open_log(follow, growth_of(follow, is_written(follow)), ret, err);
}

/* Returns as wt_log_follow; a newly opened log counts as more. */
static int take_up(const struct wt_follow *follow, bool written, struct wt_log_reader **log,
		   struct wt_err *err)
{
	struct stat st;

	if (*log)
		return wt_log_follow(*log, growth_of(follow, written), err);
	if (fstat(follow->fd, &st) < 0)
		return wt_fail_errno(err, "cannot examine %s", follow->path);
	return st.st_size ? open_log(follow, growth_of(follow, written), log, err) : 1;
}

enum wt_follow_state wt_follow_look(struct wt_follow *follow, struct wt_log_reader **log, struct wt_err *err)
{
	/* Asked first, so that everything written before the end is in the file at the look. */
	bool written = !follow->ended && is_written(follow);
	bool complete;
	int rc;

	if (follow->ended)
		return WT_FOLLOW_ENDED;
	rc = take_up(follow, written, log, err);
	if (rc <= 0)
		return rc < 0 ? WT_FOLLOW_FAILED : WT_FOLLOW_MORE;
	complete = *log && wt_log_info(*log)->complete;
	follow->ended = !written || complete;
	if (!follow->ended)
		return WT_FOLLOW_NOT_YET;
	return follow->has_place && !complete && wt_place_alive(&follow->place) ? WT_FOLLOW_LEFT
										: WT_FOLLOW_ENDED;
}

int wt_follow_fail_left(const struct wt_follow *follow, struct wt_err *err)
{
	return wt_fail(
		err, WT_ERR_LIMIT,
		"session '%s' has dropped the oldest part of its log (--max-file): start to follow it again",
		follow->place.name);
}

int wt_follow_move(struct wt_follow *follow, const struct wt_log_reader *before, struct wt_log_reader **ret,
		   struct wt_log_succession *next, struct wt_err *err)
{
	struct wt_follow other = *follow;
	struct wt_log_reader *log;

	if (open_path(&other, NULL))
		return wt_follow_fail_left(follow, err);
	if (open_log(&other, WT_LOG_GROWS, &log, err)) {
		close(other.fd);
		return -1;
	}
	if (!wt_log_succeeds(log, before, next)) {
		wt_log_close(log);
		close(other.fd);
		return wt_follow_fail_left(follow, err);
	}
	close(follow->fd);
	follow->fd = other.fd;
	follow->ended = false;
	*ret = log;
	return 0;
}
