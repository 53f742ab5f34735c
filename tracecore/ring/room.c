/* SPDX-License-Identifier: MIT */
#include "tracecore/ring/room.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* Signals that keep coming must not keep the loop going. */
#define TRIES 100
/* The smallest page there is. */
#define PAGE 4096u

bool wt_room_allowed(uint64_t bytes)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur)
		return true;
	errno = EFBIG;
	return false;
}

int wt_room_extend(int fd, uint64_t bytes)
{
	return wt_room_allowed(bytes) ? ftruncate(fd, (off_t)bytes) : -1;
}

int wt_room_take(int fd, uint64_t offset, uint64_t bytes)
{
	struct stat st;
	int rc = -1;

	if (!wt_room_allowed(offset + bytes) && (fstat(fd, &st) || (uint64_t)st.st_size < offset + bytes)) {
		errno = EFBIG;
		return -1;
	}
	for (unsigned i = 0; rc && i < TRIES; i++) {
		rc = fallocate(fd, 0, (off_t)offset, (off_t)bytes);
		if (rc && errno != EINTR)
			break;
	}
	return rc;
}

int wt_room_take_first(int fd, const struct stat *st, uint64_t bytes)
{
	uint64_t size = (uint64_t)st->st_size, whole = (size + PAGE - 1) / PAGE * PAGE;

	/* st_blocks counts in units of 512 bytes on every file system. */
	if (size >= bytes && (uint64_t)st->st_blocks * 512 >= whole)
		return 0;
	return wt_room_take(fd, 0, bytes);
}

/* An operation that changes nothing: the kernel writes to the word and returns EFAULT where a store would
 * raise SIGBUS. */
static bool touch(void *word)
{
	const uint32_t or_nothing = (uint32_t)FUTEX_OP_OR << 28;
	uint32_t nobody_waits_here = 0;

	return syscall(SYS_futex, &nobody_waits_here, FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG, 0, NULL, word,
		       or_nothing) >= 0;
}

bool wt_room_populate_by_page(void *at, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += PAGE)
		if (!touch((uint8_t *)at + i))
			return false;
	return true;
}

bool wt_room_populate(void *at, size_t bytes)
{
	if (!madvise(at, bytes, MADV_POPULATE_WRITE))
		return true;
	return errno == EINVAL && wt_room_populate_by_page(at, bytes);
}

void wt_room_keep_from_dumps(void *at, size_t bytes)
{
	madvise(at, bytes, MADV_DONTDUMP);
}
