// SPDX-License-Identifier: MIT
#include "consumers/model/follow.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracecore/base/regular.h"

/* Between two looks at the file. Each look that finds more reads it, which may take longer. */
#define LOOK_MS 100

static volatile sig_atomic_t interrupted;

static void on_signal(int sig)
{
	(void)sig;
	interrupted = 1;
}

static int find_part(struct wt_follow *follow, const char *session, struct wt_err *err)
{
	if (wt_place_open(session, &follow->place, err))
		return -1;
	follow->has_place = true;
	if (!wt_place_alive(&follow->place))
		return wt_fail(err, WT_ERR_NOTFOUND, "no session '%s' is running", session);
	wt_place_part_path(&follow->place, follow->path);
	return 0;
}

int wt_follow_open(struct wt_follow *follow, const char *path, const char *session, struct wt_err *err)
{
	struct sigaction action = {.sa_handler = on_signal};

	*follow = (struct wt_follow){.fd = -1};
	if (!path && find_part(follow, session, err))
		return -1;
	if (path && snprintf(follow->path, sizeof(follow->path), "%s", path) >= (int)sizeof(follow->path))
		return wt_fail(err, WT_ERR_USAGE, "the path of the log is too long");
	follow->fd = wt_regular_open(follow->path, err);
	if (follow->fd < 0)
		return -1;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	return 0;
}

static bool is_another(const struct wt_follow *follow)
{
	struct stat now, then;

	return stat(follow->path, &now) < 0 || fstat(follow->fd, &then) < 0 || now.st_ino != then.st_ino ||
	       now.st_dev != then.st_dev;
}

/* Nobody will write to it any more. */
static bool has_ended(const struct wt_follow *follow)
{
	return interrupted || (follow->has_place && !wt_place_alive(&follow->place)) || is_another(follow);
}

bool wt_follow_is_left(const struct wt_follow *follow)
{
	return !interrupted && follow->has_place && wt_place_alive(&follow->place) && is_another(follow);
}

bool wt_follow_is_over(const struct wt_follow *follow)
{
	return !interrupted && follow->has_place && !wt_place_alive(&follow->place);
}

int wt_follow_wait(struct wt_follow *follow, struct wt_err *err)
{
	for (;;) {
		bool ended = has_ended(follow);
		struct stat st;

		if (fstat(follow->fd, &st) < 0)
			return wt_fail_errno(err, "cannot examine %s", follow->path);
		if ((uint64_t)st.st_size != follow->size) {
			follow->size = (uint64_t)st.st_size;
			return 0;
		}
		if (ended)
			return 1;
		poll(NULL, 0, LOOK_MS);
	}
}

/* A recorder may take back what it wrote last; a file that is followed by its name may be a copy, and what
 * has come of that stays. */
static enum wt_log_growth growth_of(const struct wt_follow *follow)
{
	if (!follow->has_place)
		return WT_LOG_ARRIVES;
	return wt_place_alive(&follow->place) ? WT_LOG_GROWS : WT_LOG_ENDED;
}

int wt_follow_read(const struct wt_follow *follow, struct wt_log_reader **log, struct wt_err *err)
{
	enum wt_log_growth growth = growth_of(follow);
	int fd;

	if (*log)
		return wt_log_follow(*log, growth, err) < 0 ? -1 : 0;
	fd = fcntl(follow->fd, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		return wt_fail_errno(err, "cannot open %s", follow->path);
	return wt_log_open_growing(fd, follow->path, growth, log, err);
}

void wt_follow_close(struct wt_follow *follow)
{
	if (follow->fd >= 0)
		close(follow->fd);
	if (follow->has_place)
		wt_place_close(&follow->place);
	*follow = (struct wt_follow){.fd = -1};
}
