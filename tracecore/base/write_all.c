// SPDX-License-Identifier: MIT
#include "tracecore/base/write_all.h"

#include <errno.h>
#include <sys/types.h>
#include <unistd.h>

/* offset: NULL means the descriptor's position. */
static int put(int fd, const uint8_t *bytes, size_t len, const uint64_t *offset)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = offset ? pwrite(fd, bytes + done, len - done, (off_t)(*offset + done))
				   : write(fd, bytes + done, len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			errno = n ? errno : ENOSPC;
			return -1;
		}
		done += (size_t)n;
	}
	return 0;
}

int wt_write_all(int fd, const void *bytes, size_t len)
{
	return put(fd, bytes, len, NULL);
}

int wt_write_all_at(int fd, const void *bytes, size_t len, uint64_t offset)
{
	return put(fd, bytes, len, &offset);
}
