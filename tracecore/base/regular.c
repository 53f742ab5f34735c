// SPDX-License-Identifier: MIT
#include "tracecore/base/regular.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* O_NONBLOCK: open does not wait for a process that holds a lease on the file. */
#define FLAGS (O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

static const char *kind_name(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFLNK:
		return "a link";
	case S_IFDIR:
		return "a directory";
	case S_IFIFO:
		return "a pipe";
	case S_IFSOCK:
		return "a socket";
	case S_IFCHR:
	case S_IFBLK:
		return "a device";
	default:
		return "something else";
	}
}

static int fail_kind(const char *path, mode_t mode, struct wt_err *err)
{
	return wt_fail(err, WT_ERR_FORMAT, "cannot open %s: it is %s, not a regular file", path,
		       kind_name(mode));
}

/* Opens the file by its path, where another file may be by now. */
static int open_again(const char *path, int how, const struct stat *looked_at, struct wt_err *err)
{
	int fd = open(path, FLAGS | how);
	struct stat st;

	if (fd < 0)
		return wt_fail_errno(err, "cannot open %s", path);
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_dev == looked_at->st_dev &&
	    st.st_ino == looked_at->st_ino)
		return fd;
	close(fd);
	return wt_fail(err, WT_ERR_FORMAT, "cannot open %s: another file took its place meanwhile", path);
}

static int open_held(int held, const char *path, int how, struct wt_err *err)
{
	char name[32];
	struct stat st;
	int fd;

	if (fstat(held, &st) < 0)
		return wt_fail_errno(err, "cannot examine %s", path);
	if (!S_ISREG(st.st_mode))
		return fail_kind(path, st.st_mode, err);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", held);
	/* This link belongs to the kernel and must be followed. */
	fd = open(name, FLAGS | (how & ~O_NOFOLLOW));
	if (fd >= 0)
		return fd;
	if (errno == ENOENT && access("/proc/self/fd", F_OK) < 0)
		return open_again(path, how, &st, err);
	return wt_fail_errno(err, "cannot open %s", path);
}

static int open_as(const char *path, int how, struct wt_err *err)
{
	int held = open(path, O_PATH | O_CLOEXEC | (how & O_NOFOLLOW)), fd;

	if (held < 0)
		return wt_fail_errno(err, "cannot open %s", path);
	fd = open_held(held, path, how, err);
	/* Uses the lowest number that was free, as open(2) does. */
	if (fd >= 0 && dup3(fd, held, O_CLOEXEC) == held) {
		close(fd);
		return held;
	}
	close(held);
	return fd;
}

int wt_regular_open(const char *path, struct wt_err *err)
{
	return open_as(path, O_RDONLY, err);
}

int wt_regular_open_rw(const char *path, struct wt_err *err)
{
	return open_as(path, O_RDWR | O_NOFOLLOW, err);
}

int wt_regular_open_or_held(const char *path, struct wt_err *err)
{
	int fd;

	if (strcmp(path, "/dev/stdin") && strncmp(path, "/dev/fd/", 8) && strncmp(path, "/proc/self/fd/", 14))
		return wt_regular_open(path, err);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	return fd < 0 ? wt_fail_errno(err, "cannot open %s", path) : fd;
}
