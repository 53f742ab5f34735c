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
#include "tracecore/base/file_watch.h"
#include "tracecore/base/overlay.h"
#include "tracecore/base/writers.h"
#include "tracecore/logfmt/format/tables.h"

/* Facts about a file beside its last change. */
struct sight {
	uint64_t modified;
	uint32_t links;
	bool writer; /* a process can write to it */
};

/* Opens the path if the kernel can resolve it without asking a file system. */
static int open_cached(int root, const char *path)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC,
			       .resolve = RESOLVE_CACHED | (root == AT_FDCWD ? 0 : RESOLVE_IN_ROOT)};

	return (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
}

/* File systems without a device of their own (overlay, btrfs, FUSE, NFS) may report another number than the
 * mappings of their files do. */
static bool is_other_device(const struct wt_image_entry *image, const struct wt_mount *mount)
{
	return mount->device != image->device && mount->device >> 32 && image->device >> 32;
}

static uint64_t ns_of(const struct statx_timestamp *time)
{
	return (uint64_t)time->tv_sec * WT_NSEC + time->tv_nsec;
}

/* Where times do not tell of writers. The watch begins before it is asked whether there is one now. */
static void watch(const struct wt_image_entry *image, struct wt_mounts *mounts, int fd)
{
	if (mounts->watch && wt_file_is_in_memory(fd))
		wt_file_watch_add(mounts->watch, fd, image->device, image->inode);
}

/* The file below, as far as the caller's own mounts have the overlay. The table is new. */
static int find_below(const struct wt_image_entry *image, const struct wt_mounts *own, int fd)
{
	int below = -1;

	for (size_t i = 0; below < 0 && i < own->n; i++)
		if (own->mounts[i].overlay && own->mounts[i].device == image->device)
			below = wt_overlay_below_cached(fd, own->mounts[i].overlay);
	return below;
}

/* Who has mapped a file through an overlay can write to the file below. Other pointers into the table end. */
static bool has_writer_below(const struct wt_image_entry *image, struct wt_mounts *mounts, int fd)
{
	struct wt_mounts *own = mounts->own ? mounts->own : mounts;
	const struct wt_mount *mount;
	bool has;
	int below;

	wt_mounts_renew(own);
	below = find_below(image, own, fd);
	mount = below >= 0 ? wt_mounts_of(own, below) : NULL;
	has = mount && mount->local && wt_path_has_writer(below);
	if (below >= 0)
		close(below);
	return has;
}

/* Asks only the table of mounts until that says that the file system answers from memory. */
static uint64_t change_of(const struct wt_image_entry *image, struct wt_mounts *mounts,
			  const struct wt_mount *mount, int fd, struct sight *ret)
{
	struct statx stx;

	if (is_other_device(image, mount))
		return WT_LOG_IMAGE_GONE;
	if (mount->device == image->device && mount->overlay) {
		ret->writer = has_writer_below(image, mounts, fd);
		return ret->writer ? WT_LOG_IMAGE_GONE : 0;
	}
	if (mount->device != image->device || !mount->local ||
	    statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC,
		  STATX_CTIME | STATX_MTIME | STATX_NLINK | STATX_INO | STATX_TYPE, &stx))
		return 0;
	if (stx.stx_ino != image->inode || !S_ISREG(stx.stx_mode))
		return WT_LOG_IMAGE_GONE;
	watch(image, mounts, fd);
	ret->writer = wt_path_has_writer(fd);
	if (ret->writer)
		return WT_LOG_IMAGE_GONE;
	ret->modified = ns_of(&stx.stx_mtime);
	ret->links = stx.stx_nlink;
	return ns_of(&stx.stx_ctime);
}

/* The kernel cannot resolve the path. The path does not lead to that file if the nearest directory that the
 * kernel knows lies on another device. Cuts path. */
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
	mount = wt_mounts_of_directory(mounts, fd);
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
		change = change_of(image, mounts, mount, fd, ret);
	close(fd);
	return change;
}

/* Looks where the caller sees the path, then in the roots of others. */
static uint64_t look(const struct wt_image_entry *image, struct wt_mounts *mounts, struct sight *ret)
{
	uint64_t change = look_below(image, mounts, AT_FDCWD, ret);
	struct wt_roots *roots = mounts->roots;

	/* If one of their roots cannot be looked at (an overlay), the file may still exist. A file with a
	 * writer has been found. */
	for (uint32_t i = 0; roots && change <= WT_LOG_IMAGE_GONE && !ret->writer && i < roots->n; i++) {
		struct wt_root *root = &roots->list[i];
		uint64_t there;

		root->mounts.watch = mounts->watch;
		root->mounts.own = mounts;
		there = look_below(image, &root->mounts, root->fd, ret);
		/* A directory that is not the root of a mount is missing in the table of the processes that
		 * have it as root. */
		if (there <= WT_LOG_IMAGE_GONE && !ret->writer)
			there = look_below(image, mounts, root->fd, ret);
		change = there != WT_LOG_IMAGE_GONE ? there : change;
	}
	return ret->writer ? WT_LOG_IMAGE_GONE : change;
}

/* True when the content may differ from the content at the time of the mapping. */
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

/* A process that could write to the file has let it go since it was mapped. */
static bool was_written(const struct wt_image_entry *image, struct wt_mounts *mounts)
{
	if (!mounts->watch)
		return false;
	wt_file_watch_read(mounts->watch);
	return wt_file_watch_ask(mounts->watch, image->device, image->inode, image->mapped) ==
	       WT_FILE_WRITTEN;
}

/* True when the file is as it was when it was looked at. Readers have to allow for changes within the
 * following tick. */
static bool is_as_it_was(struct wt_image_entry *image, struct wt_mounts *mounts)
{
	uint64_t now = wt_clock_now();
	struct sight sight = {0};

	if (image->changed <= WT_LOG_IMAGE_GONE || look(image, mounts, &sight) != image->changed ||
	    was_written(image, mounts))
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
