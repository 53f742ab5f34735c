// SPDX-License-Identifier: MIT
#include "consumers/image_change.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tracecore/base/clock.h"
#include "tracecore/logfmt/log_tables.h"

/* What the path leads to, if that is known without asking a file system. */
static int open_cached(const char *path)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_CACHED};

	return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));
}

/* File systems without a device of their own (overlay, btrfs, FUSE, NFS) may tell another number than
 * mappings of their files do. */
static bool is_other_device(const struct wt_image_entry *image, const struct wt_mount *mount)
{
	return mount->device != image->device && mount->device >> 32 && image->device >> 32;
}

static uint64_t ns_of(const struct statx_timestamp *time)
{
	return (uint64_t)time->tv_sec * WT_NSEC + time->tv_nsec;
}

/* Nothing but the table of mounts is asked until it says that the file system answers from memory. */
static uint64_t change_of(struct wt_image_entry *image, const struct wt_mount *mount, int fd)
{
	struct statx stx;

	if (is_other_device(image, mount))
		return WT_LOG_IMAGE_GONE;
	if (mount->device != image->device || !mount->local ||
	    statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC,
		  STATX_CTIME | STATX_MTIME | STATX_NLINK | STATX_INO, &stx))
		return 0;
	if (stx.stx_ino != image->inode)
		return WT_LOG_IMAGE_GONE;
	image->modified = ns_of(&stx.stx_mtime);
	image->links = stx.stx_nlink;
	return ns_of(&stx.stx_ctime);
}

/* The kernel does not know where the path leads: not to that file, if the nearest folder that it knows lies
 * on another device. path is cut. */
static uint64_t look_above(const struct wt_image_entry *image, struct wt_mounts *mounts, char *path)
{
	const struct wt_mount *mount;
	uint64_t change = 0;
	int fd = -1;

	while (fd < 0 && errno == EAGAIN && strrchr(path + 1, '/')) {
		*strrchr(path + 1, '/') = '\0';
		fd = open_cached(path);
	}
	if (fd < 0)
		return 0;
	mount = wt_mounts_of(mounts, fd);
	if (mount && is_other_device(image, mount))
		change = WT_LOG_IMAGE_GONE;
	close(fd);
	return change;
}

static uint64_t look(struct wt_image_entry *image, struct wt_mounts *mounts)
{
	const struct wt_mount *mount;
	uint64_t change = 0;
	char path[PATH_MAX];
	int fd;

	if (image->kind != WT_IMAGE_FILE || !image->inode || !image->path_len ||
	    image->path_len >= sizeof(path) || image->path[0] != '/')
		return 0;
	memcpy(path, image->path, image->path_len);
	path[image->path_len] = '\0';
	fd = open_cached(path);
	if (fd < 0 && errno == EAGAIN)
		return look_above(image, mounts, path);
	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR ? WT_LOG_IMAGE_GONE : 0;
	mount = wt_mounts_of(mounts, fd);
	if (mount)
		change = change_of(image, mount, fd);
	close(fd);
	return change;
}

uint64_t wt_image_change(struct wt_image_entry *image, struct wt_mounts *mounts)
{
	if (!image->looked)
		image->changed = look(image, mounts);
	image->looked = true;
	return image->changed;
}
