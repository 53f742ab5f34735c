// SPDX-License-Identifier: MIT
#include "consumers/record/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracecore/base/buf.h"
#include "tracecore/base/grow.h"
#include "tracecore/base/mount.h"
#include "tracecore/base/mount_line.h"

/* Room for tens of thousands of mounts. */
#define TABLE_MAX (8 << 20)

static const char *const local_types[] = {"ext2",  "ext3", "ext4",     "xfs",   "f2fs",  "btrfs",  "tmpfs",
					  "ramfs", "vfat", "squashfs", "erofs", "exfat", "rootfs", "iso9660"};

static const char *const layered_types[] = {"overlay"};

static bool take_line(struct wt_mounts *mounts, const char *line)
{
	unsigned id, parent, major, minor;

	if (sscanf(line, "%u %u %u:%u ", &id, &parent, &major, &minor) != 4) /* NOLINT(cert-err34-c) */
		return true;
	if (wt_grow(&mounts->mounts, &mounts->cap, mounts->n, 1, NULL))
		return false;
	mounts->mounts[mounts->n++] = (struct wt_mount){
		.id = id,
		.local = wt_mount_line_is_of(line, local_types, sizeof(local_types) / sizeof(local_types[0])),
		.overlay = wt_mount_line_is_of(line, layered_types, 1) ? strdup(line) : NULL,
		.device = (uint64_t)major << 32 | minor};
	return true;
}

static int by_id(const void *a, const void *b)
{
	const struct wt_mount *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static void forget(struct wt_mounts *mounts)
{
	while (mounts->n)
		free(mounts->mounts[--mounts->n].overlay);
}

/* All or nothing. */
static void take_table(struct wt_mounts *mounts, char *text)
{
	char *rest = NULL;
	bool fine = true;

	for (char *line = strtok_r(text, "\n", &rest); line && fine; line = strtok_r(NULL, "\n", &rest))
		fine = take_line(mounts, line);
	if (!fine)
		forget(mounts);
	if (mounts->n)
		qsort(mounts->mounts, mounts->n, sizeof(*mounts->mounts), by_id);
}

/* Reads the whole of an open file of /proc. */
static bool read_all(int fd, struct wt_buf *ret)
{
	ssize_t n = 1;

	for (off_t at = 0; n > 0 && at < TABLE_MAX; at += n) {
		uint8_t *room = wt_buf_reserve(ret, 16384);

		do
			n = room ? pread(fd, room, 16384, at) : -1;
		while (n < 0 && room && errno == EINTR);
		ret->len += n > 0 ? (size_t)n : 0;
	}
	return !n && !ret->failed;
}

static void read_table(struct wt_mounts *mounts)
{
	struct wt_buf text = {0};
	bool fine = read_all(mounts->fd, &text);

	wt_buf_put_u8(&text, 0);
	forget(mounts);
	if (fine && !text.failed)
		take_table(mounts, (char *)text.data);
	wt_buf_deinit(&text);
}

void wt_mounts_begin(struct wt_mounts *mounts, uint32_t pid)
{
	char path[40];

	snprintf(path, sizeof(path), "/proc/%u/mountinfo", pid);
	mounts->fd = open(path, O_RDONLY | O_CLOEXEC);
	mounts->open = mounts->fd >= 0;
	if (mounts->open)
		read_table(mounts);
}

void wt_mounts_renew(struct wt_mounts *mounts)
{
	struct pollfd changed = {.fd = mounts->fd, .events = POLLPRI};

	if (!mounts->open) {
		mounts->fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
		mounts->open = mounts->fd >= 0;
		if (mounts->open)
			read_table(mounts);
	} else if (poll(&changed, 1, 0)) {
		read_table(mounts);
	}
}

/* A handle without room for its bytes: the kernel names the mount all the same. It makes handles from the
 * inode in memory; file systems that have none, like 9p, are not asked. One call for three. */
static bool id_of(int fd, uint64_t *ret)
{
	struct file_handle none = {.handle_bytes = 0};
	int id = -1, error = errno;
	bool known = name_to_handle_at(fd, "", &none, &id, AT_EMPTY_PATH) < 0 && errno == EOVERFLOW &&
		     id >= 0;

	errno = error;
	if (!known)
		return wt_mount_id(fd, ret);
	*ret = (uint64_t)id;
	return true;
}

/* While the file is open, no other mount can get the id. */
static const struct wt_mount *find(struct wt_mounts *mounts, uint32_t id)
{
	struct wt_mount key = {.id = id};

	wt_mounts_renew(mounts);
	return mounts->n ? bsearch(&key, mounts->mounts, mounts->n, sizeof(key), by_id) : NULL;
}

const struct wt_mount *wt_mounts_of(struct wt_mounts *mounts, int fd)
{
	uint64_t id;

	return id_of(fd, &id) ? find(mounts, (uint32_t)id) : NULL;
}

const struct wt_mount *wt_mounts_of_directory(struct wt_mounts *mounts, int fd)
{
	uint64_t id;

	return wt_mount_id(fd, &id) ? find(mounts, (uint32_t)id) : NULL;
}

void wt_mounts_deinit(struct wt_mounts *mounts)
{
	if (mounts->open)
		close(mounts->fd);
	forget(mounts);
	free(mounts->mounts);
	*mounts = (struct wt_mounts){0};
}
