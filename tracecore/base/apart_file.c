// SPDX-License-Identifier: MIT
#include "tracecore/base/apart_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/nsfs.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tracecore/base/apart.h"
#include "tracecore/base/clock.h"

struct question {
	uint32_t pid, owner;
	bool copied;
	char root[48], path[PATH_MAX];
};

static uint64_t ns_of(const struct statx_timestamp *time)
{
	return (uint64_t)time->tv_sec * WT_NSEC + time->tv_nsec;
}

/* True when this process trusts the user who made the mounts of that process: they are not below other
 * user ids. */
static bool has_our_mounts(uint32_t pid)
{
	struct stat own, owner;
	char path[64];
	int fd, user;
	bool same;

	snprintf(path, sizeof(path), "/proc/%u/ns/mnt", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	user = fd < 0 ? -1 : ioctl(fd, NS_GET_USERNS);
	same = user >= 0 && !fstat(user, &owner) && !stat("/proc/self/ns/user", &own) &&
	       own.st_ino == owner.st_ino && own.st_dev == owner.st_dev;
	if (user >= 0)
		close(user);
	if (fd >= 0)
		close(fd);
	return same;
}

bool wt_apart_is_near(int fd)
{
	struct statfs fs;

	if (fstatfs(fd, &fs))
		return false;
	switch ((uint32_t)fs.f_type) {
	case TMPFS_MAGIC:
	case RAMFS_MAGIC:
	case EXT4_SUPER_MAGIC:
	case XFS_SUPER_MAGIC:
	case BTRFS_SUPER_MAGIC:
	case F2FS_SUPER_MAGIC:
		return true;
	case OVERLAYFS_SUPER_MAGIC:
		return true;
	default:
		return false;
	}
}

/* pid: the process whose mounts led to the file; 0: ours. */
static bool is_near(int fd, uint32_t pid)
{
	struct statfs fs;

	return wt_apart_is_near(fd) &&
	       (!pid || (!fstatfs(fd, &fs) && (uint32_t)fs.f_type != OVERLAYFS_SUPER_MAGIC) ||
		has_our_mounts(pid));
}

/* A copy of the whole file, or -1. Larger files are not worth the time that an answer may take. */
static int copy_of(int fd, uint64_t size)
{
	int copy = size > WT_APART_COPY_MOST ? -1 : memfd_create("wtrace-map", MFD_CLOEXEC);
	uint64_t done = 0;
	ssize_t n = 1;

	while (copy >= 0 && done < size && (n = sendfile(copy, fd, NULL, size - done)) > 0)
		done += (uint64_t)n;
	if (copy >= 0 && done < size) {
		close(copy);
		return -1;
	}
	return copy;
}

static int open_below(const struct question *question, struct wt_apart_file *ret)
{
	bool owned = question->owner != UINT32_MAX;
	struct open_how how = {.flags = O_PATH | O_CLOEXEC | (owned ? O_NOFOLLOW : 0),
			       .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
	char link[64];
	struct statx stx;
	int at, held, fd = -1, copy;

	at = open(question->root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	held = at < 0 ? -1 : (int)syscall(SYS_openat2, at, question->path, &how, sizeof(how));
	if (at >= 0)
		close(at);
	if (held < 0)
		return -1;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", held);
	if (!statx(held, "", AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_BTIME, &stx) && S_ISREG(stx.stx_mode) &&
	    (!owned || stx.stx_uid == question->owner))
		fd = open(link, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	close(held);
	if (fd < 0)
		return -1;
	*ret = (struct wt_apart_file){.inode = stx.stx_ino,
				      .size = stx.stx_size,
				      .born = stx.stx_mask & STATX_BTIME ? ns_of(&stx.stx_btime) : 0,
				      .modified = ns_of(&stx.stx_mtime),
				      .changed = ns_of(&stx.stx_ctime)};
	if (is_near(fd, question->pid))
		return fd;
	copy = question->copied ? copy_of(fd, stx.stx_size) : -1;
	close(fd);
	return copy;
}

static size_t find_apart(const void *in, size_t len, void *out, int *fd)
{
	struct question question;
	struct wt_apart_file found;

	if (len != sizeof(question))
		return 0;
	memcpy(&question, in, sizeof(question));
	*fd = open_below(&question, &found);
	if (*fd < 0)
		return 0;
	memcpy(out, &found, sizeof(found));
	return sizeof(found);
}

int wt_apart_open(const struct wt_apart_search *search, struct wt_apart_file *ret)
{
	static uint8_t answer[WT_APART_OUT];
	struct question question = {.pid = search->pid, .owner = search->owner, .copied = search->copied};
	size_t len = strlen(search->path);
	int fd;

	if (len >= sizeof(question.path))
		return -1;
	memcpy(question.path, search->path, len);
	/* The child has no descriptors of the caller. */
	if (search->root >= 0)
		snprintf(question.root, sizeof(question.root), "/proc/%d/fd/%d", (int)getpid(), search->root);
	else if (search->pid)
		snprintf(question.root, sizeof(question.root), "/proc/%u/root", search->pid);
	else
		question.root[0] = '/';
	if (!wt_apart_ask_of(search->payer, find_apart, &question, sizeof(question), answer, &len, &fd) ||
	    fd < 0)
		return -1;
	memcpy(ret, answer, sizeof(*ret));
	return fd;
}
