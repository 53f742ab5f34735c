// SPDX-License-Identifier: MIT
#include "consumers/record/image_change.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "consumers/record/roots.h"
#include "tracecore/base/clock.h"
#include "tracecore/logfmt/format/tables.h"

/* What a file tells beside its last change. */
struct sight {
	uint64_t modified;
	uint32_t links;
};

/* What the path leads to, if that is known without asking a file system. */
static int open_cached(int root, const char *path)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC,
			       .resolve = RESOLVE_CACHED | (root == AT_FDCWD ? 0 : RESOLVE_IN_ROOT)};

	return (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
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
static uint64_t change_of(const struct wt_image_entry *image, const struct wt_mount *mount, int fd,
			  struct sight *ret)
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
	ret->modified = ns_of(&stx.stx_mtime);
	ret->links = stx.stx_nlink;
	return ns_of(&stx.stx_ctime);
}

/* The kernel does not know where the path leads: not to that file, if the nearest directory that it knows
 * lies on another device. path is cut. */
static uint64_t look_above(const struct wt_image_entry *image, struct wt_mounts *mounts, int root, char *path)
{
	const struct wt_mount *mount;
	uint64_t change = 0;
	int fd = -1;

	while (fd < 0 && errno == EAGAIN && strrchr(path + 1, '/')) {
		*strrchr(path + 1, '/') = '\0';
		fd = open_cached(root, path);
	}
	if (fd < 0)
		return 0;
	mount = wt_mounts_of(mounts, fd);
	if (mount && is_other_device(image, mount))
		change = WT_LOG_IMAGE_GONE;
	close(fd);
	return change;
}

static uint64_t look_below(const struct wt_image_entry *image, struct wt_mounts *mounts, int root,
			   struct sight *ret)
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
	fd = open_cached(root, path);
	if (fd < 0 && errno == EAGAIN)
		return look_above(image, mounts, root, path);
	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR ? WT_LOG_IMAGE_GONE : 0;
	mount = wt_mounts_of(mounts, fd);
	if (mount)
		change = change_of(image, mount, fd, ret);
	close(fd);
	return change;
}

/* Where the caller sees the path, or where others do. */
static uint64_t look(const struct wt_image_entry *image, struct wt_mounts *mounts, struct sight *ret)
{
	uint64_t change = look_below(image, mounts, AT_FDCWD, ret);
	struct wt_roots *roots = mounts->roots;

	/* Where one of theirs cannot be looked at (an overlay), nobody can say that there is no such file. */
	for (uint32_t i = 0; roots && change <= WT_LOG_IMAGE_GONE && i < roots->n; i++) {
		struct wt_root *root = &roots->list[i];
		uint64_t there = look_below(image, &root->mounts, root->fd, ret);

		/* A directory that is no mount's root is missing in the table of those whose root it is. */
		if (there <= WT_LOG_IMAGE_GONE)
			there = look_below(image, mounts, root->fd, ret);
		change = there != WT_LOG_IMAGE_GONE ? there : change;
	}
	return change;
}

/* The content is not what it was when it was mapped, or nobody can tell that it is. */
static bool is_later(const struct wt_image_entry *image)
{
	struct wt_clockset now;

	if (image->changed <= WT_LOG_IMAGE_GONE || !image->mapped)
		return false;
	wt_clock_sample_times(&now);
	return image->changed > image->mapped + (now.realtime - now.raw);
}

uint64_t wt_image_change(struct wt_image_entry *image, struct wt_mounts *mounts)
{
	struct sight sight = {0};

	if (image->looked)
		return image->changed;
	image->looked_at = wt_clock_now();
	image->changed = look(image, mounts, &sight);
	image->modified = sight.modified;
	image->links = sight.links;
	image->looked = true;
	image->late = is_later(image);
	return image->changed;
}

/* As it was when it was looked at; what changes within the tick after that is the readers' to wait for. */
static bool is_as_it_was(struct wt_image_entry *image, struct wt_mounts *mounts)
{
	uint64_t now = wt_clock_now();
	struct sight sight = {0};

	if (image->changed <= WT_LOG_IMAGE_GONE || look(image, mounts, &sight) != image->changed)
		return false;
	image->looked_at = now;
	return true;
}

bool wt_image_is_past(struct wt_image_entry *image, uint64_t time, struct wt_mounts *mounts)
{
	if (image->kind != WT_IMAGE_FILE)
		return false;
	wt_image_change(image, mounts);
	if (!image->past)
		image->past = image->late || (time > image->looked_at && !is_as_it_was(image, mounts));
	return image->past;
}
