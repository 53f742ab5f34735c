/* SPDX-License-Identifier: MIT */
#include "consumers/symbols/sight.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "consumers/symbols/elf_file.h"
#include "consumers/symbols/file_proof.h"
#include "tracecore/base/apart.h"
#include "tracecore/base/apart_file.h"
#include "tracecore/base/mount_line.h"

enum { BUILD_ID_MOST = 64 };

struct question {
	uint64_t device, inode;
	uint32_t build_id_len;
	char build_id[BUILD_ID_MOST], path[PATH_MAX];
};

bool wt_sight_is_file(const struct wt_log_image *image)
{
	return image->kind == WT_IMAGE_FILE && image->path.len && image->path.len < PATH_MAX &&
	       !memchr(image->path.p, 0, image->path.len);
}

static void path_of(const struct wt_log_image *image, char ret[PATH_MAX])
{
	memcpy(ret, image->path.p, image->path.len);
	ret[image->path.len] = 0;
}

static bool is_build(const char *path, struct wt_str build_id)
{
	struct wt_elf file = WT_ELF_CLOSED;
	bool same = wt_elf_open(path, &file) && wt_elf_is_build(&file, build_id);

	wt_elf_close(&file);
	return same;
}

/* Opens a path that the kernel has in memory as a whole; -1: it does not. */
static int open_cached(const char *path, uint64_t flags)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC | flags, .resolve = RESOLVE_CACHED};

	return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));
}

/* Returns whether only root and the caller can change entries of the directory. sticky: other users may add
 * entries, if they cannot replace those of others. */
static bool is_directory_kept(const char *path, bool sticky)
{
	struct statx stx;
	int fd = open_cached(path, O_DIRECTORY);
	bool kept;

	/* Where the system does not have that call, only callers that may wait get here. */
	if (fd < 0 && (errno == ENOSYS || errno == EINVAL || errno == EPERM))
		fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return false;
	kept = !statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_UID | STATX_MODE, &stx) &&
	       (!stx.stx_uid || stx.stx_uid == geteuid()) &&
	       (!(stx.stx_mode & (S_IWGRP | S_IWOTH)) || (sticky && stx.stx_mode & S_ISVTX));
	close(fd);
	return kept;
}

/* Returns whether no other user can create files beside the file, or exchange it or a directory above it. The
 * directories are checked from the root down: a directory that passed cannot be exchanged any more. */
static bool is_kept(int fd, const struct wt_log_image *image)
{
	char link[64], path[PATH_MAX], *last, *at;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	if (n <= 0 || (size_t)n != image->path.len || memcmp(path, image->path.p, image->path.len) != 0)
		return false;
	path[n] = 0;
	last = strrchr(path, '/');
	if (*path != '/' || !is_directory_kept("/", last != path))
		return false;
	for (at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
		*at = 0;
		if (!is_directory_kept(path, at != last))
			return false;
		*at = '/';
	}
	return true;
}

/* Whether a program serves the file. Such a program can report any owner. */
static bool is_of_program(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) || (uint32_t)fs.f_type == FUSE_SUPER_MAGIC;
}

/* fd: what the path leads to, opened as a path. near: that is known. */
static void see(int fd, bool near, const struct wt_log_image *image, struct wt_sight *ret)
{
	struct wt_file_facts facts;
	char link[64];
	struct stat st;

	*ret = (struct wt_sight){.uid = UINT32_MAX};
	wt_file_facts_at(NULL, fd, &facts);
	if (!facts.there || fstat(fd, &st))
		return;
	ret->there = true;
	ret->near = near || wt_apart_is_near(fd);
	ret->kept = is_kept(fd, image);
	ret->uid = ret->near || !is_of_program(fd) ? st.st_uid : UINT32_MAX;
	ret->size = (uint64_t)st.st_size;
	ret->ours = image->inode && facts.inode == image->inode &&
		    (facts.device == image->device || facts.layered || !image->device);
	/* A layer has another inode than the mappings have, or none. */
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (!ret->ours && image->build_id.len && (facts.layered || !image->inode))
		ret->ours = is_build(link, image->build_id);
}

void wt_sight_see(const struct wt_log_image *image, struct wt_sight *ret)
{
	char path[PATH_MAX];
	int fd;

	path_of(image, path);
	fd = open(path, O_PATH | O_CLOEXEC);
	*ret = (struct wt_sight){.uid = UINT32_MAX, .near = true};
	if (fd < 0)
		return;
	see(fd, false, image, ret);
	close(fd);
}

/* ---- what cannot wait ---- */

/* Nobody without privileges mounts them where this process sees it. */
static const char *const near_types[] = {"ext2",  "ext3",  "ext4",   "xfs",     "f2fs",    "btrfs",
					 "tmpfs", "ramfs", "rootfs", "overlay", "virtiofs"};

static bool is_near_mount(uint64_t id)
{
	FILE *file = fopen("/proc/self/mountinfo", "re");
	char *line = NULL;
	size_t cap = 0;
	bool near = false;

	while (file && getline(&line, &cap, file) > 0) {
		if (strtoull(line, NULL, 10) != id)
			continue;
		near = wt_mount_line_is_of(line, near_types, sizeof(near_types) / sizeof(near_types[0]));
		break;
	}
	free(line);
	if (file)
		fclose(file);
	return near;
}

/* Opens the file that the path leads to, if the kernel has the path in memory and the file is near:
 * looking at it waits for nobody. */
static int open_near(struct wt_sights *sights, const char *path)
{
	int fd = open_cached(path, 0);
	struct statx stx;

	if (fd < 0)
		return -1;
	if (!statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_MNT_ID, &stx) &&
	    stx.stx_mask & STATX_MNT_ID) {
		if (stx.stx_mnt_id == sights->near)
			return fd;
		if (is_near_mount(stx.stx_mnt_id)) {
			sights->near = stx.stx_mnt_id;
			return fd;
		}
	}
	close(fd);
	return -1;
}

/* ---- what may ---- */

static size_t look_apart(const void *in, size_t len, void *out, int *fd)
{
	static struct question question;
	struct wt_sight sight;
	struct wt_log_image image;

	(void)fd;
	if (len != sizeof(question))
		return 0;
	memcpy(&question, in, sizeof(question));
	image = (struct wt_log_image){.kind = WT_IMAGE_FILE,
				      .device = question.device,
				      .inode = question.inode,
				      .build_id = wt_str_of(question.build_id, question.build_id_len),
				      .path = wt_str(question.path)};
	wt_sight_see(&image, &sight);
	memcpy(out, &sight, sizeof(sight));
	return sizeof(sight);
}

static bool ask(const struct wt_log_image *image, struct wt_sight *ret)
{
	static uint8_t answer[WT_APART_OUT];
	static struct question question;
	size_t len;

	question = (struct question){.device = image->device, .inode = image->inode};
	if (image->build_id.len && image->build_id.len <= BUILD_ID_MOST) {
		question.build_id_len = image->build_id.len;
		memcpy(question.build_id, image->build_id.p, image->build_id.len);
	}
	path_of(image, question.path);
	/* Nobody else is left alone for what one file does: how many may be silent is bounded here. */
	if (!wt_apart_ask_of(0, look_apart, &question, sizeof(question), answer, &len, NULL) ||
	    len != sizeof(*ret))
		return false;
	memcpy(ret, answer, sizeof(*ret));
	return true;
}

static bool was_silent(const struct wt_sights *sights, const char *path)
{
	for (uint32_t i = 0; i < sights->n_silent; i++)
		if (!strcmp(sights->silent[i], path))
			return true;
	return false;
}

bool wt_sight_look(struct wt_sights *sights, const struct wt_log_image *image, struct wt_sight *ret)
{
	char path[PATH_MAX];
	int fd;

	path_of(image, path);
	fd = open_near(sights, path);
	if (fd >= 0) {
		see(fd, true, image, ret);
		close(fd);
		return true;
	}
	if (sights->n_silent >= WT_SIGHT_SILENT || was_silent(sights, path))
		return false;
	if (ask(image, ret))
		return true;
	wt_sights_add_silent(sights, image);
	return false;
}

void wt_sights_add_silent(struct wt_sights *sights, const struct wt_log_image *image)
{
	char path[PATH_MAX];

	if (sights->n_silent >= WT_SIGHT_SILENT)
		return;
	path_of(image, path);
	sights->silent[sights->n_silent] = strdup(path);
	sights->n_silent += sights->silent[sights->n_silent] != NULL;
}

void wt_sights_deinit(struct wt_sights *sights)
{
	for (uint32_t i = 0; i < sights->n_silent; i++)
		free(sights->silent[i]);
	*sights = (struct wt_sights){0};
}
