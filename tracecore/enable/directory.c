// SPDX-License-Identifier: MIT
#include "tracecore/enable/directory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracecore/base/digits.h"
#include "tracecore/base/high_fd.h"
#include "tracecore/base/way.h"
#include "tracecore/enable/squat.h"
#include "tracecore/ring/room.h"
#include "tracecore/base/write_all.h"

#define DIRECTORY_FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/* Cut at PATH_MAX. */
static void put_path(char *ret, const char *base, const char *name)
{
	size_t n = strnlen(base, PATH_MAX - 1), more = strnlen(name, PATH_MAX - 1 - n);

	memcpy(ret, base, n);
	memcpy(ret + n, name, more);
	ret[n + more] = 0;
}

/* Root's sessions take root's names back instead of avoiding them. */
static void avoid_taken(char *path)
{
	char instead[WT_SQUAT_PATH];
	uid_t by;

	if (geteuid() == 0)
		return;
	if (wt_squat_is_left(path, geteuid(), instead) ||
	    (wt_squat_is_taken(path, geteuid(), &by) && wt_squat_instead(path, geteuid(), instead)))
		memcpy(path, instead, strlen(instead) + 1);
}

void wt_directory_path(char *ret, const char *variable, const char *base)
{
	const char *given = secure_getenv(variable);
	char own[8 + WT_DIGITS_MAX + 1] = "/wtrace-";

	wt_digits(own + 8, geteuid(), 10, 1);
	put_path(ret, given && given[0] ? given : base, given && given[0] ? "" : own);
	if (!(given && given[0]))
		avoid_taken(ret);
}

const char *wt_directory_root_path(void)
{
	const char *given = secure_getenv("WTRACE_ROOT_RUNTIME");

	return given && given[0] && strlen(given) < PATH_MAX ? given : WT_DIRECTORY_RUNTIME "/wtrace-root";
}

static int fail_foreign(const char *path, uid_t owner, struct wt_err *err)
{
	return wt_fail(
		err, WT_ERR_PERMISSION,
		"directory %s belongs to uid %u, not to you (uid %u): it is not used; ask its owner or root "
		"to remove it",
		path, owner, geteuid());
}

static int fail_served(const char *path, uid_t by, struct wt_err *err)
{
	return wt_fail(err, WT_ERR_PERMISSION,
		       "a program of uid %u serves a file system over directory %s: it is not used; ask that "
		       "user or "
		       "root to unmount it",
		       by, path);
}

int wt_directory_open(const char *path, uid_t *by)
{
	int held = wt_way_open(path, by), fd = held < 0 ? -1 : wt_high_fd(openat(held, ".", DIRECTORY_FLAGS));
	int why = errno;

	if (held >= 0)
		close(held);
	errno = why;
	return fd;
}

int wt_directory_open_private(const char *path, struct wt_err *err)
{
	struct stat st;
	uid_t by;
	int fd;

	fd = wt_directory_open(path, &by);
	if (fd < 0 && errno == ENOENT) {
		if (mkdir(path, 0700) < 0 && errno != EEXIST)
			return wt_fail_errno(err, "cannot make directory %s", path);
		fd = wt_directory_open(path, &by);
	}
	if (fd < 0 && errno == EXDEV)
		return fail_served(path, by, err);
	if (fd < 0 && errno == EACCES && !lstat(path, &st) && st.st_uid != geteuid())
		return fail_foreign(path, st.st_uid, err);
	if (fd < 0)
		return wt_fail_errno(err, "cannot open directory %s", path);
	if (fstat(fd, &st) < 0) {
		wt_fail_errno(err, "cannot examine directory %s", path);
	} else if (st.st_uid != geteuid()) {
		fail_foreign(path, st.st_uid, err);
	} else if ((st.st_mode & 0077) && fchmod(fd, 0700) < 0) {
		wt_fail_errno(err, "cannot make directory %s private", path);
	} else {
		return fd;
	}
	close(fd);
	return -1;
}

/* Closes fd and says why. */
static int refuse(int fd, int why)
{
	close(fd);
	errno = why;
	return -1;
}

int wt_directory_open_owned(const char *path, uid_t owner)
{
	int fd = wt_directory_open(path, NULL);
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) < 0)
		return refuse(fd, errno);
	if (st.st_uid != owner || (st.st_mode & 0022))
		return refuse(fd, EPERM);
	return fd;
}

/* Programs that open their own files may be allowed few system calls. */
static int open_in(int dir, const char *name, int flags, uid_t owner)
{
	return wt_way_is_due(owner) ? wt_way_below(dir, name, flags) : openat(dir, name, flags);
}

int wt_directory_open_below(int dir, const char *name, bool make)
{
	struct stat above, st;
	int fd;

	if (fstat(dir, &above) < 0)
		return -1;
	fd = wt_high_fd(open_in(dir, name, DIRECTORY_FLAGS, above.st_uid));
	if (fd < 0 && errno == ENOENT && make && (mkdirat(dir, name, 0700) == 0 || errno == EEXIST))
		fd = wt_high_fd(open_in(dir, name, DIRECTORY_FLAGS, above.st_uid));
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) < 0)
		return refuse(fd, errno);
	/* Changes the owner only of an empty directory; only root can do it. */
	if (st.st_uid != above.st_uid && make && st.st_uid == geteuid() && st.st_nlink <= 2 &&
	    fchown(fd, above.st_uid, above.st_gid) == 0)
		st.st_uid = above.st_uid;
	if (st.st_uid != above.st_uid)
		return refuse(fd, EPERM);
	return fd;
}

int wt_directory_open_known(int dir, const char *name, int flags, uid_t owner, struct stat *ret)
{
	/* O_NONBLOCK: a pipe in this place must not block this process. */
	int fd = wt_high_fd(
		open_in(dir, name, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, owner));

	if (fd < 0)
		return -1;
	if (fstat(fd, ret) < 0)
		return refuse(fd, errno);
	if (!S_ISREG(ret->st_mode) || ret->st_uid != owner)
		return refuse(fd, EPERM);
	return fd;
}

int wt_directory_open_file(int dir, const char *name, int flags, uid_t owner)
{
	struct stat st;

	return wt_directory_open_known(dir, name, flags, owner, &st);
}

int wt_directory_read(int fd, void *ret, size_t n, off_t offset)
{
	uint8_t *to = ret;

	while (n > 0) {
		ssize_t got = pread(fd, to, n, offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return -1;
		to += got;
		offset += got;
		n -= (size_t)got;
	}
	return 0;
}

int wt_directory_write(int fd, const void *bytes, size_t n, off_t offset)
{
	return wt_room_allowed((uint64_t)offset + n) ? wt_write_all_at(fd, bytes, n, (uint64_t)offset) : -1;
}

/* Without O_TMPFILE or /proc: uses a name that no reader looks at. */
static int begin_named(int dir, mode_t mode, struct wt_new_file *ret)
{
	static uint32_t count;

	for (unsigned i = 0; i < 100; i++) {
		snprintf(ret->temp, sizeof(ret->temp), ".new-%x-%x", (unsigned)getpid(),
			 __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED));
		ret->fd = wt_high_fd(
			openat(dir, ret->temp, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
		if (ret->fd >= 0 || errno != EEXIST)
			break;
	}
	return ret->fd < 0 ? -1 : 0;
}

int wt_new_file_begin(int dir, mode_t mode, struct wt_new_file *ret)
{
	*ret = (struct wt_new_file){.dir = dir, .fd = -1};
	if (access("/proc/self/fd", X_OK) == 0)
		ret->fd = wt_high_fd(openat(dir, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode));
	if (ret->fd < 0 && begin_named(dir, mode, ret) < 0)
		return -1;
	/* Whatever the program's umask is. */
	if (fchmod(ret->fd, mode) < 0) {
		int why = errno;

		wt_new_file_end(ret);
		errno = why;
		return -1;
	}
	return 0;
}

int wt_new_file_link(struct wt_new_file *file, const char *name)
{
	char path[40];
	int rc;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", file->fd);
	if (file->temp[0])
		rc = linkat(file->dir, file->temp, file->dir, name, 0);
	else
		rc = linkat(AT_FDCWD, path, file->dir, name, AT_SYMLINK_FOLLOW);
	if (rc < 0)
		return errno == EEXIST ? 1 : -1;
	return 0;
}

void wt_new_file_end(struct wt_new_file *file)
{
	if (file->temp[0])
		unlinkat(file->dir, file->temp, 0);
	if (file->fd >= 0)
		close(file->fd);
	*file = (struct wt_new_file){.dir = -1, .fd = -1};
}
