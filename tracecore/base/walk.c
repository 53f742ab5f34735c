// SPDX-License-Identifier: MIT
#include "tracecore/base/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tracecore/base/high_fd.h"

#define USERS_OWN "/run/user/" /* of all users; each one's directory there is a file system of its own */

/* ---- what is mounted ---- */

/* Reads mountinfo byte by byte: "ID PARENT MAJOR:MINOR ROOT POINT OPTIONS... - TYPE SOURCE OPTIONS". */
struct mount_finder {
	uint64_t wanted, id;
	enum { IN_ID, IN_REST, IN_TYPE, IN_END } at;
	char last[3]; /* bytes before the present one */
	char type[4]; /* its beginning */
	unsigned n;   /* bytes of the type */
	bool found;
};

static void begin_line(struct mount_finder *finder)
{
	finder->at = IN_ID;
	finder->id = finder->n = 0;
	memset(finder->last, 0, sizeof(finder->last));
}

static void take_byte(struct mount_finder *finder, char c)
{
	if (finder->at == IN_ID) {
		if (c >= '0' && c <= '9')
			finder->id = finder->id * 10 + (uint64_t)(c - '0');
		else
			finder->at = finder->id == finder->wanted ? IN_REST : IN_END;
	} else if (finder->at == IN_REST && !memcmp(finder->last, " - ", sizeof(finder->last))) {
		finder->at = IN_TYPE;
	}
	if (finder->at == IN_TYPE && finder->n < sizeof(finder->type))
		finder->type[finder->n++] = c;
	finder->found |= finder->at == IN_TYPE && finder->n == sizeof(finder->type);
	finder->last[0] = finder->last[1];
	finder->last[1] = finder->last[2];
	finder->last[2] = c;
}

/* Returns whether the mount is known to be of the kernel's own file systems. */
static bool is_kernels(uint64_t mount)
{
	struct mount_finder finder = {.wanted = mount};
	int fd = wt_high_fd(open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC));
	char bytes[4096];
	ssize_t n = 0;

	begin_line(&finder);
	while (fd >= 0 && !finder.found && (n = read(fd, bytes, sizeof(bytes))) > 0)
		for (ssize_t i = 0; i < n && !finder.found; i++)
			if (bytes[i] == '\n')
				begin_line(&finder);
			else
				take_byte(&finder, bytes[i]);
	if (fd >= 0)
		close(fd);
	return finder.found && memcmp(finder.type, "fuse", sizeof(finder.type)) != 0;
}

/* struct statx of linux/stat.h, which cannot be included with every C library's headers. */
struct found_at {
	uint32_t mask;
	uint8_t others[132];
	uint32_t device_major, device_minor;
	uint64_t mount;
	uint8_t rest[104];
};
_Static_assert(offsetof(struct found_at, device_major) == 136, "stx_dev_major");
_Static_assert(offsetof(struct found_at, mount) == 144, "stx_mnt_id");
_Static_assert(sizeof(struct found_at) == 256, "struct statx");

enum { DONT_SYNC = 0x4000, MOUNT_ID = 0x1000 };

/* Without a wish for any field, no file system is asked: the kernel knows device and mount itself. */
static int look(int fd, struct found_at *ret)
{
	memset(ret, 0, sizeof(*ret));
	return (int)syscall(SYS_statx, fd, "", AT_EMPTY_PATH | DONT_SYNC, MOUNT_ID, ret);
}

static bool is_same_device(const struct found_at *a, const struct found_at *b)
{
	return a->device_major == b->device_major && a->device_minor == b->device_minor;
}

/* Linux before 5.8 does not tell the mount. */
static bool may_be_asked(int above, int fd)
{
	struct found_at a, b;

	if (look(above, &a) || look(fd, &b))
		return false;
	return is_same_device(&a, &b) || !(b.mask & MOUNT_ID) || is_kernels(b.mount);
}

/* ---- ways ---- */

static int refuse(int fd, int why)
{
	close(fd);
	errno = why;
	return -1;
}

/* Closes `above`. */
static int step(int above, const char *name)
{
	int fd = wt_high_fd(openat(above, name, O_PATH | O_NOFOLLOW | O_CLOEXEC));
	int why = errno;
	bool may = fd >= 0 && may_be_asked(above, fd);

	close(above);
	if (fd >= 0 && !may)
		return refuse(fd, EXDEV);
	errno = why;
	return fd;
}

int wt_walk_open(const char *path)
{
	char copy[PATH_MAX], *slash, *name, *next;
	size_t len = strlen(path), users = sizeof(USERS_OWN) - 1;
	int fd;

	if (len >= sizeof(copy)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(copy, path, len + 1);
	slash = strncmp(copy, USERS_OWN, users) ? strrchr(copy, '/') : copy + users - 1;
	name = slash ? slash + 1 : copy;
	if (slash)
		*slash = 0;
	fd = wt_high_fd(open(!slash ? "." : slash == copy ? "/" : copy, O_PATH | O_DIRECTORY | O_CLOEXEC));
	for (; fd >= 0 && *name; name = next) {
		next = name + strcspn(name, "/");
		next += *next ? (*next = 0, 1) : 0;
		fd = step(fd, name);
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

int wt_walk_stat(const char *path, struct stat *ret)
{
	return stat_and_close(wt_walk_open(path), ret);
}

int wt_walk_below(int dir, const char *name, int flags)
{
	struct open_how how = {.flags = (unsigned)flags, .resolve = RESOLVE_NO_XDEV | RESOLVE_NO_MAGICLINKS};
	int fd = (int)syscall(SYS_openat2, dir, name, &how, sizeof(how));

	/* EPERM: a filter of system calls, which does not know this one. */
	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		fd = openat(dir, name, flags);
	return fd;
}

int wt_walk_stat_below(int dir, const char *name, struct stat *ret)
{
	return stat_and_close(wt_walk_below(dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC), ret);
}
