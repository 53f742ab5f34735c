// SPDX-License-Identifier: MIT
#include "tracecore/base/writers.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/vfs.h>
#include <unistd.h>

bool wt_file_has_writer(int fd)
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

bool wt_file_is_in_memory(int fd)
{
	struct statfs fs;
	uint32_t type;

	if (fstatfs(fd, &fs))
		return false;
	type = (uint32_t)fs.f_type;
	return type == TMPFS_MAGIC || type == RAMFS_MAGIC || type == HUGETLBFS_MAGIC;
}
