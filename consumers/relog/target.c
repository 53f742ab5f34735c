// SPDX-License-Identifier: MIT
#include "consumers/relog/target.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tracecore/base/err.h"

static int open_nameless(const char *path)
{
	char copy[PATH_MAX];

	snprintf(copy, sizeof(copy), "%s", path);
	return open(dirname(copy), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

static int set_part(struct wt_target *target, struct wt_err *err)
{
	int n = snprintf(target->part, sizeof(target->part), "%s.%d.part", target->path, getpid());

	if (n < (int)sizeof(target->part))
		return 0;
	target->part[0] = 0;
	return wt_fail(err, WT_ERR_USAGE, "the path of the output file is too long");
}

int wt_target_open(struct wt_target *target, const char *path, enum wt_replace replace, struct wt_err *err)
{
	*target = (struct wt_target){.path = path, .replace = replace, .fd = -1};
	if (wt_deliver_check(path, replace, err))
		return -1;
	target->fd = open_nameless(path);
	if (target->fd >= 0)
		return 0;
	if (set_part(target, err))
		return -1;
	target->fd = open(target->part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (target->fd >= 0)
		return 0;
	wt_fail_errno(err, "cannot make %s", target->part);
	target->part[0] = 0;
	return -1;
}

static int give_name(struct wt_target *target, struct wt_err *err)
{
	char self[64];

	if (target->part[0])
		return 0;
	if (set_part(target, err))
		return -1;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", target->fd);
	unlink(target->part);
	if (linkat(AT_FDCWD, self, AT_FDCWD, target->part, AT_SYMLINK_FOLLOW) == 0)
		return 0;
	wt_fail_errno(err, "cannot make %s", target->part);
	target->part[0] = 0;
	return -1;
}

int wt_target_keep(struct wt_target *target, struct wt_err *err)
{
	if (fsync(target->fd) < 0)
		return wt_fail_errno(err, "cannot write %s", target->path);
	if (give_name(target, err))
		return -1;
	if (wt_deliver_place(target->part, target->path, target->replace, err))
		return -1;
	target->part[0] = 0;
	return 0;
}

void wt_target_close(struct wt_target *target)
{
	if (target->part[0])
		unlink(target->part);
	if (target->fd >= 0)
		close(target->fd);
	target->fd = -1;
	target->part[0] = 0;
}
