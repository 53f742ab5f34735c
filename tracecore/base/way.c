// SPDX-License-Identifier: MIT
#include "tracecore/base/way.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/syscall.h>

#include "tracecore/base/high_fd.h"
#include "tracecore/base/mount.h"

#define USERS_OWN "/run/user/" /* of all users; each one's directory there is a file system of its own */

static void close_quietly(int fd)
{
	int why = errno;

	close(fd);
	errno = why;
}

/* Closes fd. */
static int refuse(int fd, int why)
{
	close(fd);
	errno = why;
	return -1;
}

/* The mount of what is held, where that of the directory above is known. */
static bool may_be_asked(int fd, uint64_t above, uid_t *by)
{
	uint64_t id;

	if (!wt_mount_id(fd, &id) || id == above)
		return true;
	switch (wt_mount_kind(id, by)) {
	case WT_MOUNT_KERNEL:
		return true;
	case WT_MOUNT_PROGRAM:
		return *by == 0 || *by == geteuid();
	default:
		return false;
	}
}

/* Closes `above` before the next is examined: programs may have few descriptors left. */
static int step(int above, const char *name, uid_t *by)
{
	uint64_t mount;
	bool known = wt_mount_id(above, &mount);
	int fd = wt_high_fd(openat(above, name, O_PATH | O_NOFOLLOW | O_CLOEXEC)), why = errno;

	close(above);
	if (fd >= 0 && known && !may_be_asked(fd, mount, by))
		return refuse(fd, EXDEV);
	errno = why;
	return fd;
}

/* The directory that the first n bytes of the path lead to, opened in pieces: traced programs come here on
 * stacks that may be small. */
static int open_above(const char *path, size_t n)
{
	char piece[NAME_MAX + 2];
	int above = -1, fd = -1;

	for (bool first = true; first || (fd >= 0 && n); first = false) {
		size_t len = n;

		while (len >= sizeof(piece) || (len < n && path[len] != '/'))
			len--;
		if (n && !len)
			return above < 0 ? (errno = ENAMETOOLONG, -1) : refuse(above, ENAMETOOLONG);
		memcpy(piece, path, len);
		piece[len] = 0;
		fd = wt_high_fd(openat(above < 0 ? AT_FDCWD : above, len ? piece : ".",
				       O_PATH | O_DIRECTORY | O_CLOEXEC));
		if (above >= 0)
			close_quietly(above);
		above = fd;
		path += len;
		n -= len;
		for (; n && *path == '/'; path++)
			n--;
	}
	return fd;
}

int wt_way_open(const char *path, uid_t *by)
{
	const size_t users = sizeof(USERS_OWN) - 1;
	const bool is_users = !geteuid() && !strncmp(path, USERS_OWN, users);
	const char *slash = is_users ? path + users - 1 : strrchr(path, '/'), *at = slash ? slash + 1 : path;
	char name[NAME_MAX + 1];
	uid_t mounted_by;
	/* What is at the root lies behind its slash. */
	int fd = open_above(path, slash == path ? 1 : (size_t)(slash ? slash - path : 0));

	while (fd >= 0 && *at) {
		size_t len = strcspn(at, "/");

		if (len >= sizeof(name))
			return refuse(fd, ENAMETOOLONG);
		memcpy(name, at, len);
		name[len] = 0;
		if (len)
			fd = step(fd, name, by ? by : &mounted_by);
		at += len + (at[len] == '/');
	}
	return fd;
}

static int stat_and_close(int fd, struct stat *ret)
{
	int failed = fd < 0 || fstat(fd, ret), why = errno;

	if (fd >= 0)
		close(fd);
	errno = why;
	return failed ? -1 : 0;
}

int wt_way_stat(const char *path, struct stat *ret, uid_t *by)
{
	return stat_and_close(wt_way_open(path, by), ret);
}

int wt_way_below(int dir, const char *name, int flags)
{
	struct open_how how = {.flags = (unsigned)flags, .resolve = RESOLVE_NO_XDEV | RESOLVE_NO_MAGICLINKS};
	int fd = (int)syscall(SYS_openat2, dir, name, &how, sizeof(how));

	/* EPERM: a filter of system calls, which does not know this one. */
	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		fd = openat(dir, name, flags);
	return fd;
}

int wt_way_stat_below(int dir, const char *name, struct stat *ret)
{
	return stat_and_close(wt_way_below(dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC), ret);
}
