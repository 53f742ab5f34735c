/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Descriptors in other people's programs. 0, 1 and 2 belong to the program, even while they are closed: the
 * program's output must never go into a file of the library.
 */
#ifndef TRACECORE_BASE_HIGH_FD_H
#define TRACECORE_BASE_HIGH_FD_H

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/** Returns the descriptor, moved to 3 or above and closed by exec; -1 (errno): fd was -1, or no number is
 * free there. Async-signal-safe. */
static inline int wt_high_fd(int fd)
{
	int high, why;

	if (fd < 0 || fd > 2)
		return fd;
	high = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	/* The kernel returns EINVAL when 3 is above the limit. */
	why = high < 0 && errno == EINVAL ? EMFILE : errno;
	close(fd);
	errno = why;
	return high;
}

#endif
