/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Descriptors in strangers' programs: 0, 1 and 2 are the program's, also while it has them closed. What it
 * prints must never go into a file of ours.
 */
#ifndef TRACECORE_BASE_HIGH_FD_H
#define TRACECORE_BASE_HIGH_FD_H

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/** The descriptor, moved to 3 or above and closed by exec; -1 (errno): it was -1, or there is no room there.
 * Async-signal-safe. */
static inline int wt_high_fd(int fd)
{
	int high, why;

	if (fd < 0 || fd > 2)
		return fd;
	high = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	/* What the kernel says when 3 is beyond the limit. */
	why = high < 0 && errno == EINVAL ? EMFILE : errno;
	close(fd);
	errno = why;
	return high;
}

#endif
