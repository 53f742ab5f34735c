// SPDX-License-Identifier: MIT
#include "tracecore/base/writers.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "tracecore/base/overlay.h"

/* Attributes that tmpfs, ramfs and hugetlbfs do not have. ext4 has them, others on disk may have none. An
 * overlay answers for the file system below. */
static const uint64_t of_disks = STATX_ATTR_COMPRESSED | STATX_ATTR_ENCRYPTED | STATX_ATTR_VERITY;
/* xfs tells how to read it directly; so do others on disk. */
enum { DIRECT = 0x2000 /* STATX_DIOALIGN, Linux 6.1 */ };

static bool refuses_lease(int fd)
{
	int error = errno;
	bool refused;

	/* A process that opens the file meanwhile makes the kernel send a signal: one that is ignored unless
	 * the caller wants it. */
	fcntl(fd, F_SETSIG, SIGURG);
	refused = fcntl(fd, F_SETLEASE, F_RDLCK) < 0;
	if (refused)
		refused = errno == EAGAIN;
	else
		fcntl(fd, F_SETLEASE, F_UNLCK);
	errno = error;
	return refused;
}

/* Who has mapped a file through an overlay has mapped the file below. */
static bool has_writer_below(int fd)
{
	int error = errno, below = wt_is_on_overlay(fd) ? wt_overlay_below(fd) : -1;
	bool has = below >= 0 && wt_path_has_writer(below);

	if (below >= 0)
		close(below);
	errno = error;
	return has;
}

bool wt_file_has_writer(int fd)
{
	return refuses_lease(fd) || has_writer_below(fd);
}

bool wt_path_has_writer(int fd)
{
	int error = errno, readable;
	char link[32];
	bool has;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	readable = open(link, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	errno = error;
	if (readable < 0)
		return false;
	has = wt_file_has_writer(readable);
	close(readable);
	return has;
}

static bool is_known_to_have_disk(int fd)
{
	struct statx stx;

	return !statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_BASIC_STATS | DIRECT, &stx) &&
	       (stx.stx_attributes_mask & of_disks || stx.stx_mask & DIRECT);
}

bool wt_file_is_in_memory(int fd)
{
	struct statfs fs;
	uint32_t type;

	if (fstatfs(fd, &fs))
		return false;
	type = (uint32_t)fs.f_type;
	if (type == OVERLAYFS_SUPER_MAGIC)
		return !is_known_to_have_disk(fd);
	return type == TMPFS_MAGIC || type == RAMFS_MAGIC || type == HUGETLBFS_MAGIC;
}
